// Attention forward on bfloat16 by the machine's products of pairs; sums, maxima and logarithms
// stay float32, weights are rounded to bfloat16 before they meet the values.
#include "attention-softmax.h"
#include "kernel-list.h"
#include "pairs.h"

namespace libra::cpu::LIBRA_SET {
namespace {

struct DotTile {
  ForwardState state;
  Pair* query;  // Qᵀ [pairs of D][rowBlock]
};

/// K by pairs of elements, V by pairs of keys, copied once or block by block.
class DotKeyBlocks {
 public:
  DotKeyBlocks(const AttentionForwardBfloat16Arguments& a, const AttentionSegment& segment,
               int64_t keys, ScratchFrame& frame)
      : keepsAll_(keys * (a.headDim + a.valueDim) <= mostKept),
        held_(keepsAll_ ? keys : least(keys, forwardKeys)),
        keys_(a.k, a.headDim, segment, held_, frame),
        v_(a.v + segment.keyOffset * a.valueDim),
        valueDim_(a.valueDim),
        stride_(segment.keyStride * a.valueDim),
        values_(takePairs(frame, pairsOf(held_) * a.valueDim)) {}

  struct Block {
    const Pair* keys;    // [key][pairs of D]
    const Pair* values;  // [pair of keys][Dv]
  };

  Block block(int64_t first, int64_t count) {
    const int64_t at = keepsAll_ ? first : 0;
    Pair* values = values_ + at / 2 * valueDim_;
    // A pair whose second key was not seen before is made again.
    const int64_t copied = keepsAll_ ? most(0, copied_ - first) / 2 * 2 : 0;
    if (keepsAll_ && copied_ >= first + count) {
      return {keys_.rows(first, 0, at), values};
    }
    const int64_t from = first + copied;
    keys_.rows(from, count - copied, at + copied);
    interleaveRows(v_ + from * stride_, stride_, count - copied, valueDim_,
                   values + copied / 2 * valueDim_, valueDim_);
    copied_ = first + count;
    return {keys_.rows(first, 0, at), values};
  }

  int64_t keyWidth() const { return keys_.width; }

 private:
  static constexpr int64_t mostKept = int64_t{32} << 20;  // elements
  bool keepsAll_;
  int64_t held_;
  PairRows keys_;
  const Bfloat16* v_;
  int64_t valueDim_, stride_;
  Pair* values_;
  int64_t copied_ = 0;
};

/// Weights go into pairs of keys.
struct DotWeights {
  static constexpr int degree = 4;  // they are rounded to bfloat16
  float scoreFactor;
  Pair* pairs;  // [pair of keys][rowBlock]
  LIBRA_INLINE Floats offset(Floats maximum) const { return -(maximum * splat(scoreFactor)); }
  LIBRA_INLINE Floats exponent(Floats score, Floats offset) const {
    return multiplyAdd(score, splat(scoreFactor), offset);
  }
  LIBRA_INLINE Floats fall(Floats before, Floats maximum) const {
    return (before - maximum) * splat(scoreFactor);
  }
  LIBRA_INLINE void put(int64_t key, int64_t lane, Floats p, Floats q) const {
    storePairs(pairs + key / 2 * rowBlock + lane, p, q);
  }
};

class DotForward {
 public:
  static constexpr int64_t superblock = 12;  // tiles that share a key block while it is cached
  DotTile tiles[superblock];

  DotForward(const AttentionForwardBfloat16Arguments& arguments, const AttentionSegment& segment,
             int64_t keys, ScratchFrame& frame)
      : a_(arguments),
        // The sign goes into Q, so that the largest score is the largest exponent.
        flip_(arguments.scale < 0 ? 0x80008000u : 0),
        scoreFactor_(factorOf(arguments.scale)),
        blocks_(arguments, segment, keys, frame) {
    for (DotTile& tile : tiles) {
      tile.query = takePairs(frame, pairsOf(a_.headDim) * rowBlock);
      tile.state.allocate(a_.valueDim, frame);
    }
    scores_ = frame.floats(forwardKeys * rowBlock);
    weights_ = takePairs(frame, forwardKeys / 2 * rowBlock);
  }

  void begin(DotTile& tile) const {
    const TilePlace& place = tile.state.place;
    transposePairs(a_.q + place.vector * a_.headDim, place.stride * a_.headDim, place.rows,
                   a_.headDim, flip_, tile.query);
  }

  void prepare(int64_t firstKey, int64_t count) { block_ = blocks_.block(firstKey, count); }

  void step(DotTile& tile, int64_t firstKey) const {
    alignas(64) float rescale[rowBlock];
    float* out = tile.state.out;
    const BlockView view = viewBlock(tile.state.place, firstKey, forwardKeys);
    const int64_t width = blocks_.keyWidth();
    keyProduct(view, Broadcast<Pair>{block_.keys, width, 1}, tile.query, scores_, width);
    const bool rescaled =
        softmaxBlock(view, DotWeights{scoreFactor_, weights_}, tile.state, scores_, rescale);
    const Broadcast<Pair> values{block_.values, 1, a_.valueDim};
    if (firstKey == 0) {
      elementProduct<Start::zero>(view, a_.valueDim, values, weights_, out);
    } else if (!rescaled) {
      elementProduct<Start::add>(view, a_.valueDim, values, weights_, out);
    } else {
      elementProduct<Start::rescale>(view, a_.valueDim, values, weights_, out, rescale);
    }
  }

  void end(const DotTile& tile) const { tile.state.end(a_, scoreFactor_); }

 private:
  /// |scale| · log2 e, and never 0: 0 times a masked −∞ would be NaN.
  static float factorOf(float scale) {
    const float factor = (scale < 0 ? -scale : scale) * log2e;
    return factor < 1e-30f ? 1e-30f : factor;
  }

  const AttentionForwardBfloat16Arguments& a_;
  const Pair flip_;
  const float scoreFactor_;
  DotKeyBlocks blocks_;
  DotKeyBlocks::Block block_;
  float* scores_;
  Pair* weights_;
};

}  // namespace

void attentionForwardBfloat16(Workers& workers,
                              const AttentionForwardBfloat16Arguments& arguments) {
  runForward<DotForward>(workers, arguments);
}

}  // namespace libra::cpu::LIBRA_SET
