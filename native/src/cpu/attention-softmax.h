// The softmax of one block of scores, carried on from block to block.
#pragma once

#include "attention-forward-run.h"
#include "exponential.h"

namespace libra::cpu::LIBRA_SET {

/// −∞ for the (key, lane) pairs not seen, and for the key that would complete the last pair.
LIBRA_INLINE void maskScores(const BlockView& view, float* scores) {
  const Floats masked = splat(-__builtin_inff());
  for (int v = 0; v < view.vectors; ++v) {
    float* column = scores + v * lanes;
    const int64_t seen = view.seen(v);
    for (int64_t r = view.whole(v); r < seen; ++r) {
      const Ints hidden =
          laneNumbers() < splatInt(static_cast<int32_t>(r - view.diagonal) - v * lanes);
      store(column + r * rowBlock, hidden ? masked : load(column + r * rowBlock));
    }
    if (seen % 2 != 0) store(column + seen * rowBlock, masked);
  }
}

/// Maxima of keys [from, to), an even count.
template <int width>
LIBRA_INLINE void raiseMaxima(const float* column, int64_t from, int64_t to,
                              Floats (&maximum)[width]) {
  Floats odd[width];
  unroll<width>([&](auto j) LIBRA_LAMBDA { odd[j] = maximum[j]; });
  for (int64_t r = from; r < to; r += 2) {
    const float* row = column + r * rowBlock;
    unroll<width>([&](auto j) LIBRA_LAMBDA {
      maximum[j] = larger(maximum[j], load(row + j * lanes));
      odd[j] = larger(odd[j], load(row + rowBlock + j * lanes));
    });
  }
  unroll<width>([&](auto j) LIBRA_LAMBDA { maximum[j] = larger(maximum[j], odd[j]); });
}

/// Weights of keys [from, to), an even count; sums[j] and sums[width + j] are those of even and odd
/// keys.
template <int width, class Weights>
LIBRA_INLINE void weigh(const Weights& weights, const float* column, int64_t lane, int64_t from,
                        int64_t to, const Floats (&maximum)[width], Floats (&sums)[2 * width]) {
  Floats offset[width];
  unroll<width>([&](auto j) LIBRA_LAMBDA { offset[j] = weights.offset(maximum[j]); });
  for (int64_t r = from; r < to; r += 2) {
    const float* row = column + r * rowBlock;
    Floats p[2 * width];
    unroll<width>([&](auto j) LIBRA_LAMBDA {
      p[j] = weights.exponent(load(row + j * lanes), offset[j]);
      p[width + j] = weights.exponent(load(row + rowBlock + j * lanes), offset[j]);
    });
    exp2NonPositive<Weights::degree>(p);
    unroll<width>([&](auto j) LIBRA_LAMBDA {
      weights.put(r, lane + j * lanes, p[j], p[width + j]);
      sums[j] = sums[j] + p[j];
      sums[width + j] = sums[width + j] + p[width + j];
    });
  }
}

/// Vectors [v, v + width) of the block; returns whether a maximum rose.
template <int width, class Weights>
LIBRA_INLINE Ints softmaxVectors(const BlockView& view, int v, const Weights& weights,
                                 ForwardState& tile, const float* scores, float* rescale) {
  const int64_t common = view.seen(v) / 2 * 2;  // the first vector sees the fewest keys
  const float* column = scores + v * lanes;
  Floats before[width];
  Floats maximum[width];
  Floats sums[2 * width];
  unroll<width>([&](auto j) LIBRA_LAMBDA {
    before[j] = maximum[j] = load(tile.maximum + (v + j) * lanes);
    sums[j] = sums[width + j] = splat(0.0f);
  });
  raiseMaxima<width>(column, 0, common, maximum);
  unroll<width>([&](auto j) LIBRA_LAMBDA {
    Floats one[] = {maximum[j]};
    raiseMaxima<1>(column + j * lanes, common, roundUp(view.seen(v + j), 2), one);
    maximum[j] = one[0];
  });
  weigh<width>(weights, column, v * lanes, 0, common, maximum, sums);
  Ints rose{};
  unroll<width>([&](auto j) LIBRA_LAMBDA {
    const Floats one[] = {maximum[j]};
    Floats two[] = {sums[j], sums[width + j]};
    weigh<1>(weights, column + j * lanes, (v + j) * lanes, common, roundUp(view.seen(v + j), 2),
             one, two);
    const Floats factor = exp2NonPositive(weights.fall(before[j], maximum[j]));
    const int64_t lane = (v + j) * lanes;
    store(rescale + lane, factor);
    store(tile.maximum + lane, maximum[j]);
    store(tile.sum + lane, multiplyAdd(load(tile.sum + lane), factor, two[0] + two[1]));
    rose = rose | (maximum[j] != before[j]);
  });
  return rose;
}

/// Turns scores into weights for the keys each vector sees, and carries maximum and sum on. False
/// when no maximum rose: no factor in `rescale` is then needed. The order of a row's sums does not
/// depend on what else is in its tile.
template <class Weights>
LIBRA_NOINLINE bool softmaxBlock(const BlockView& view, const Weights& weights, ForwardState& tile,
                                 float* scores, float* rescale) {
  maskScores(view, scores);
  Ints rose{};
  int v = 0;
  for (; v + abreast <= view.vectors; v += abreast) {
    rose = rose | softmaxVectors<abreast>(view, v, weights, tile, scores, rescale);
  }
  for (; v < view.vectors; ++v) {
    rose = rose | softmaxVectors<1>(view, v, weights, tile, scores, rescale);
  }
  return anyLane(rose);
}

}  // namespace libra::cpu::LIBRA_SET
