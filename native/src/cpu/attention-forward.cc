// Attention forward over segments: flash attention with lanes as query rows, float32 products.
#include "attention-keys.h"
#include "attention-softmax.h"
#include "kernel-list.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Weights take the place of their scores.
struct FloatWeights {
  static constexpr int degree = 6;
  float* scores;
  LIBRA_INLINE Floats offset(Floats maximum) const { return maximum; }
  LIBRA_INLINE Floats exponent(Floats score, Floats maximum) const { return score - maximum; }
  LIBRA_INLINE Floats fall(Floats before, Floats maximum) const { return before - maximum; }
  LIBRA_INLINE void put(int64_t key, int64_t lane, Floats p, Floats q) const {
    store(scores + key * rowBlock + lane, p);
    store(scores + (key + 1) * rowBlock + lane, q);
  }
};

struct FloatTile {
  ForwardState state;
  float* query;  // Qᵀ [D][rowBlock], times scale · log2 e
};

template <class Element>
class FloatForward {
 public:
  static constexpr int64_t superblock = 12;  // tiles that share a key block while it is cached
  FloatTile tiles[superblock];

  FloatForward(const AttentionForwardOf<Element>& arguments, const AttentionSegment& segment,
               int64_t keys, ScratchFrame& frame)
      : a_(arguments), blocks_(arguments, segment, keys, frame) {
    for (FloatTile& tile : tiles) {
      tile.query = frame.floats(a_.headDim * rowBlock);
      tile.state.allocate(a_.valueDim, frame);
    }
    scores_ = frame.floats(forwardKeys * rowBlock);
  }

  void begin(FloatTile& tile) const {
    const TilePlace& place = tile.state.place;
    transposeIn(a_.q + place.vector * a_.headDim, place.stride * a_.headDim, place.rows, a_.headDim,
                a_.scale * log2e, tile.query);
  }

  void prepare(int64_t firstKey, int64_t count) { rows_ = blocks_.block(firstKey, count); }

  void step(FloatTile& tile, int64_t firstKey) const {
    alignas(64) float rescale[rowBlock];
    float* out = tile.state.out;
    const BlockView view = viewBlock(tile.state.place, firstKey, forwardKeys);
    keyProduct(view, Broadcast<float>{rows_.keys, a_.headDim, 1}, tile.query, scores_, a_.headDim);
    const bool rescaled = softmaxBlock(view, FloatWeights{scores_}, tile.state, scores_, rescale);
    const Broadcast<float> values{rows_.values, 1, a_.valueDim};
    if (firstKey == 0) {
      elementProduct<Start::zero>(view, a_.valueDim, values, scores_, out);
    } else if (!rescaled) {
      elementProduct<Start::add>(view, a_.valueDim, values, scores_, out);
    } else {
      elementProduct<Start::rescale>(view, a_.valueDim, values, scores_, out, rescale);
    }
  }

  void end(const FloatTile& tile) const { tile.state.end(a_, 1); }

 private:
  const AttentionForwardOf<Element>& a_;
  KeyBlocks<Element> blocks_;
  KeyRows rows_;
  float* scores_;
};

}  // namespace

void attentionForward(Workers& workers, const AttentionForwardArguments& arguments) {
  runForward<FloatForward<float>>(workers, arguments);
}

void attentionForwardBfloat16(Workers& workers,
                              const AttentionForwardBfloat16Arguments& arguments) {
  runForward<FloatForward<Bfloat16>>(workers, arguments);
}

}  // namespace libra::cpu::LIBRA_SET
