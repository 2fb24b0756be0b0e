// Attention forward on bfloat16 by the machine's products of pairs; sums, maxima and logarithms
// stay float32, weights are rounded to bfloat16 before they meet the values.
#include "attention-forward-run.h"
#include "exponential.h"
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
               int64_t keys, int64_t blockKeys, ScratchFrame& frame)
      : keepsAll_(keys * (a.headDim + a.valueDim) <= mostKept),
        held_(keepsAll_ ? keys : least(keys, blockKeys)),
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

/// Scores to weights, by pairs of keys; maximum and sum are carried on. False when no maximum rose.
LIBRA_NOINLINE bool softmaxBlock(const BlockView& view, ForwardState& tile, float scoreFactor,
                                 float* scores, Pair* weights, float* rescale) {
  const Floats masked = splat(-__builtin_inff());
  const Floats factor = splat(scoreFactor);
  Ints rose{};
  for (int v = 0; v < view.vectors; ++v) {
    float* column = scores + v * lanes;
    const int64_t seen = view.seen(v);
    for (int64_t r = view.whole(v); r < seen; ++r) {
      const Ints hidden =
          laneNumbers() < splatInt(static_cast<int32_t>(r - view.diagonal) - v * lanes);
      store(column + r * rowBlock, hidden ? masked : load(column + r * rowBlock));
    }
    if (seen % 2 != 0) store(column + seen * rowBlock, masked);
    const Floats before = load(tile.maximum + v * lanes);
    Floats even = before;
    Floats odd = before;
    for (int64_t r = 0; r < seen; r += 2) {
      even = larger(even, load(column + r * rowBlock));
      odd = larger(odd, load(column + (r + 1) * rowBlock));
    }
    const Floats maximum = larger(even, odd);
    const Floats offset = -(maximum * factor);
    Floats evenSum = splat(0.0f);
    Floats oddSum = splat(0.0f);
    for (int64_t r = 0; r < seen; r += 2) {
      const Floats p = exp2NonPositive(multiplyAdd(load(column + r * rowBlock), factor, offset));
      const Floats q =
          exp2NonPositive(multiplyAdd(load(column + (r + 1) * rowBlock), factor, offset));
      storePairs(weights + r / 2 * rowBlock + v * lanes, p, q);
      evenSum = evenSum + p;
      oddSum = oddSum + q;
    }
    rose = rose | (maximum != before);
    const Floats shrink = exp2NonPositive((before - maximum) * factor);
    store(rescale + v * lanes, shrink);
    store(tile.maximum + v * lanes, maximum);
    store(tile.sum + v * lanes, multiplyAdd(load(tile.sum + v * lanes), shrink, evenSum + oddSum));
  }
  return anyLane(rose);
}

class DotForward {
 public:
  static constexpr int64_t superblock = 8;
  static constexpr int64_t blockKeys = 2 * keyBlock;  // as many bytes as keyBlock floats
  DotTile tiles[superblock];

  DotForward(const AttentionForwardBfloat16Arguments& arguments, const AttentionSegment& segment,
             int64_t keys, ScratchFrame& frame)
      : a_(arguments),
        // The sign goes into Q, so that the largest score is the largest exponent.
        flip_(arguments.scale < 0 ? 0x80008000u : 0),
        scoreFactor_(factorOf(arguments.scale)),
        blocks_(arguments, segment, keys, blockKeys, frame) {
    for (DotTile& tile : tiles) {
      tile.query = takePairs(frame, pairsOf(a_.headDim) * rowBlock);
      tile.state.allocate(a_.valueDim, frame);
    }
    scores_ = frame.floats(blockKeys * rowBlock);
    weights_ = takePairs(frame, blockKeys / 2 * rowBlock);
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
    const BlockView view = viewBlock(tile.state.place, firstKey, blockKeys);
    const int64_t width = blocks_.keyWidth();
    keyProduct(view, Broadcast<Pair>{block_.keys, width, 1}, tile.query, scores_, width);
    const bool rescaled = softmaxBlock(view, tile.state, scoreFactor_, scores_, weights_, rescale);
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
