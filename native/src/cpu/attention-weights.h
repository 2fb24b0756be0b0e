// Weights and slopes of one block of the backward pass, whatever form the products read them in.
#pragma once

#include "attention-backward-run.h"
#include "exponential.h"

namespace libra::cpu::LIBRA_SET {

/// Keys [from, to), an even count, and `width` vectors from v on. masked: some pairs are not seen;
/// their weights and slopes are 0.
template <int width, bool masked, class Weights>
LIBRA_INLINE void weighKeys(const BlockView& view, int v, int64_t from, int64_t to,
                            const Weights& weights, const BackwardState& tile, const float* scores,
                            const float* products) {
  Floats offset[width];
  Floats delta[width];
  unroll<width>([&](auto j) LIBRA_LAMBDA {
    offset[j] = weights.offset(load(tile.logSumExp + (v + j) * lanes));
    delta[j] = load(tile.delta + (v + j) * lanes);
  });
  for (int64_t r = from; r < to; r += 2) {
    const int64_t at = r * rowBlock + v * lanes;
    Floats p[2 * width];
    unroll<width>([&](auto j) LIBRA_LAMBDA {
      p[j] = weights.exponent(load(scores + at + j * lanes), offset[j]);
      p[width + j] = weights.exponent(load(scores + at + rowBlock + j * lanes), offset[j]);
    });
    exp2NonPositive<Weights::degree>(p);
    unroll<width>([&](auto j) LIBRA_LAMBDA {
      const float* product = products + at + j * lanes;
      Floats slope = weights.slope(p[j], load(product) - delta[j]);
      Floats next = weights.slope(p[width + j], load(product + rowBlock) - delta[j]);
      if constexpr (masked) {
        const auto shown = [&](int64_t key) LIBRA_LAMBDA {
          const int64_t first = key < view.keys ? key - view.diagonal - (v + j) * lanes : lanes;
          return laneNumbers() >= splatInt(static_cast<int32_t>(first));
        };
        p[j] = keep(shown(r), p[j]);
        p[width + j] = keep(shown(r + 1), p[width + j]);
        slope = keep(shown(r), slope);
        next = keep(shown(r + 1), next);
      }
      weights.put(r, (v + j) * lanes, p[j], p[width + j], slope, next);
    });
  }
}

/// P and dS of the (key, lane) pairs seen.
template <class Weights>
LIBRA_NOINLINE void weighBlock(const BlockView& view, const Weights& weights,
                               const BackwardState& tile, const float* scores,
                               const float* products) {
  for (int first = 0; first < view.vectors; first += abreast) {
    const int last = static_cast<int>(least(first + abreast, view.vectors));
    const int64_t whole = view.whole(first) / 2 * 2;
    if (last - first == abreast) {
      weighKeys<abreast, false>(view, first, 0, whole, weights, tile, scores, products);
    }
    for (int v = first; v < last; ++v) {
      if (last - first < abreast) {
        weighKeys<1, false>(view, v, 0, whole, weights, tile, scores, products);
      }
      weighKeys<1, true>(view, v, whole, roundUp(view.seen(v), 2), weights, tile, scores, products);
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
