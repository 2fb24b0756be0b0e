// Attention forward over segments: flash attention with lanes as query rows, float32 products.
#include "attention-forward-run.h"
#include "attention-keys.h"
#include "exponential.h"
#include "kernel-list.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Turns scores into weights for the keys each vector sees, and carries maximum and sum on. False
/// when no maximum rose: every factor in `rescale` is then exactly 1.
LIBRA_NOINLINE bool softmaxBlock(const BlockView& view, ForwardState& tile, float* scores,
                                 float* rescale) {
  const Floats masked = splat(-__builtin_inff());
  Ints rose{};
  for (int v = 0; v < view.vectors; ++v) {
    float* column = scores + v * lanes;
    const int64_t seen = view.seen(v);
    for (int64_t r = view.whole(v); r < seen; ++r) {
      const Ints hidden =
          laneNumbers() < splatInt(static_cast<int32_t>(r - view.diagonal) - v * lanes);
      store(column + r * rowBlock, hidden ? masked : load(column + r * rowBlock));
    }
    const Floats before = load(tile.maximum + v * lanes);
    Floats even = before;
    Floats odd = before;
    int64_t r = 0;
    for (; r + 2 <= seen; r += 2) {
      even = larger(even, load(column + r * rowBlock));
      odd = larger(odd, load(column + (r + 1) * rowBlock));
    }
    if (r < seen) even = larger(even, load(column + r * rowBlock));
    const Floats maximum = larger(even, odd);
    Floats evenSum = splat(0.0f);
    Floats oddSum = splat(0.0f);
    for (r = 0; r + 2 <= seen; r += 2) {
      const Floats p = exp2NonPositive(load(column + r * rowBlock) - maximum);
      const Floats q = exp2NonPositive(load(column + (r + 1) * rowBlock) - maximum);
      store(column + r * rowBlock, p);
      store(column + (r + 1) * rowBlock, q);
      evenSum = evenSum + p;
      oddSum = oddSum + q;
    }
    if (r < seen) {
      const Floats p = exp2NonPositive(load(column + r * rowBlock) - maximum);
      store(column + r * rowBlock, p);
      evenSum = evenSum + p;
    }
    rose = rose | (maximum != before);
    const Floats factor = exp2NonPositive(before - maximum);
    store(rescale + v * lanes, factor);
    store(tile.maximum + v * lanes, maximum);
    store(tile.sum + v * lanes, multiplyAdd(load(tile.sum + v * lanes), factor, evenSum + oddSum));
  }
  return anyLane(rose);
}

struct FloatTile {
  ForwardState state;
  float* query;  // Qᵀ [D][rowBlock], times scale · log2 e
};

template <class Element>
class FloatForward {
 public:
  static constexpr int64_t superblock = 8;  // tiles that share a key block while it is in cache
  static constexpr int64_t blockKeys = keyBlock;
  FloatTile tiles[superblock];

  FloatForward(const AttentionForwardOf<Element>& arguments, const AttentionSegment& segment,
               int64_t keys, ScratchFrame& frame)
      : a_(arguments), blocks_(arguments, segment, keys, frame) {
    for (FloatTile& tile : tiles) {
      tile.query = frame.floats(a_.headDim * rowBlock);
      tile.state.allocate(a_.valueDim, frame);
    }
    scores_ = frame.floats(keyBlock * rowBlock);
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
    const BlockView view = viewBlock(tile.state.place, firstKey, keyBlock);
    keyProduct(view, Broadcast<float>{rows_.keys, a_.headDim, 1}, tile.query, scores_, a_.headDim);
    const bool rescaled = softmaxBlock(view, tile.state, scores_, rescale);
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
