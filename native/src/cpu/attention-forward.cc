// Attention forward over segments: flash attention with lanes as query rows.
#include "attention-keys.h"
#include "exponential.h"
#include "kernel-list.h"

namespace libra::cpu::LIBRA_SET {
namespace {

constexpr int64_t superblock = 8;  // tiles that share a key block while it is in cache
constexpr float log2e = 1.44269504f;
constexpr double ln2 = 0.69314718055994530942;
/// The running maximum before any key: finite, so that −∞ minus it is −∞.
constexpr float beforeKeys = -1e30f;

struct Tile {
  TilePlace place;
  float* query;    // Qᵀ [D][rowBlock], times scale · log2 e
  float* out;      // Oᵀ [Dv][rowBlock], not yet divided
  float* maximum;  // [rowBlock], of scores in base 2
  float* sum;      // [rowBlock]
};

/// Turns scores into weights for the keys each vector sees, and carries maximum and sum on. False
/// when no maximum rose: every factor in `rescale` is then exactly 1.
LIBRA_NOINLINE bool softmaxBlock(const BlockView& view, Tile& tile, float* scores, float* rescale) {
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

void beginTile(const AttentionForwardArguments& a, Tile& tile) {
  transposeIn(a.q + tile.place.vector * a.headDim, tile.place.stride * a.headDim, tile.place.rows,
              a.headDim, a.scale * log2e, tile.query);
  for (int64_t l = 0; l < rowBlock; ++l) {
    tile.maximum[l] = beforeKeys;
    tile.sum[l] = 0;
  }
  if (tile.place.keys == 0) __builtin_memset(tile.out, 0, sizeof(float) * a.valueDim * rowBlock);
}

void stepTile(const AttentionForwardArguments& a, Tile& tile, const KeyRows& rows, int64_t firstKey,
              float* scores) {
  alignas(64) float rescale[rowBlock];
  const BlockView view = viewBlock(tile.place, firstKey);
  keyProduct(view, {rows.keys, a.headDim, 1}, tile.query, scores, a.headDim);
  const bool rescaled = softmaxBlock(view, tile, scores, rescale);
  const Broadcast values{rows.values, 1, a.valueDim};
  if (firstKey == 0) {
    elementProduct<Start::zero>(view, a.valueDim, values, scores, tile.out);
  } else if (!rescaled) {
    elementProduct<Start::add>(view, a.valueDim, values, scores, tile.out);
  } else {
    elementProduct<Start::rescale>(view, a.valueDim, values, scores, tile.out, rescale);
  }
}

void endTile(const AttentionForwardArguments& a, const Tile& tile) {
  float inverse[rowBlock];
  const TilePlace& place = tile.place;
  for (int64_t l = 0; l < place.rows; ++l) {
    const float sum = tile.sum[l];
    inverse[l] = sum == 0 ? 0 : 1 / sum;
    a.logSumExp[place.vector + l * place.stride] =
        sum == 0 ? -__builtin_inff()
                 : static_cast<float>(ln2 * tile.maximum[l] + __builtin_log(sum));
  }
  transposeOut<false>(tile.out, place.rows, a.valueDim, inverse, a.out + place.vector * a.valueDim,
                      place.stride * a.valueDim);
}

void runTask(const AttentionForwardArguments& a, const ForwardTask& task) {
  const AttentionSegment& segment = a.segments[task.segment];
  ScratchFrame frame;
  Tile tiles[superblock];
  for (Tile& tile : tiles) {
    tile.query = frame.floats(a.headDim * rowBlock);
    tile.out = frame.floats(a.valueDim * rowBlock);
    tile.maximum = frame.floats(rowBlock);
    tile.sum = frame.floats(rowBlock);
  }
  float* scores = frame.floats(keyBlock * rowBlock);
  KeyBlocks blocks(a, segment, placeTile(segment, task.lastTile - 1).keys, frame);
  for (int64_t first = task.firstTile; first < task.lastTile; first += superblock) {
    const int64_t count = least(superblock, task.lastTile - first);
    int64_t keys = 0;
    for (int64_t t = 0; t < count; ++t) {
      tiles[t].place = placeTile(segment, first + t);
      keys = most(keys, tiles[t].place.keys);
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) prefetchRows(a.q, tiles[t + 1].place, a.headDim);
      beginTile(a, tiles[t]);
    }
    for (int64_t key = 0; key < keys; key += keyBlock) {
      const KeyRows rows = blocks.block(key, least(keyBlock, keys - key));
      for (int64_t t = 0; t < count; ++t) {
        if (key < tiles[t].place.keys) stepTile(a, tiles[t], rows, key, scores);
      }
    }
    for (int64_t t = 0; t < count; ++t) {
      if (t + 1 < count) prefetchRows(a.out, tiles[t + 1].place, a.valueDim);
      endTile(a, tiles[t]);
    }
  }
}

}  // namespace

void attentionForward(Workers& workers, const AttentionForwardArguments& arguments) {
  const ForwardPlan plan(arguments, workers.threads(), superblock);
  workers.run(plan.count(), [&](int task, int) { runTask(arguments, plan.task(task)); });
}

}  // namespace libra::cpu::LIBRA_SET
