// Copies of matrix parts in the order in which the microkernel reads them.
#pragma once

#include "attention-tile.h"

namespace libra::cpu::LIBRA_SET {

/// to[k][width] = from[i · stride + k]ᵀ, k in [0, depth), i in [0, count); 0 for i in [count,
/// width).
LIBRA_INLINE void packTransposed(const float* from, int64_t stride, int64_t count, int64_t depth,
                                 float* to, int64_t width) {
  for (int64_t i = 0; i < width; i += 4) {
    const int64_t here = most(0, least(4, least(count, width) - i));
    const int64_t room = least(4, width - i);
    if (here < 4) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t r = 0; r < room; ++r) {
          to[k * width + i + r] = r < here ? from[(i + r) * stride + k] : 0;
        }
      }
      continue;
    }
    const float* row = from + i * stride;
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      Four a = loadFour(row + k);
      Four b = loadFour(row + stride + k);
      Four c = loadFour(row + 2 * stride + k);
      Four d = loadFour(row + 3 * stride + k);
      transposeFour(a, b, c, d);
      storeFour(to + k * width + i, a);
      storeFour(to + (k + 1) * width + i, b);
      storeFour(to + (k + 2) * width + i, c);
      storeFour(to + (k + 3) * width + i, d);
    }
    for (; k < depth; ++k) {
      for (int64_t r = 0; r < 4; ++r) to[k * width + i + r] = row[r * stride + k];
    }
  }
}

/// to[k][width] = from[k · stride + i]; 0 for i in [count, width).
LIBRA_INLINE void packRows(const float* from, int64_t stride, int64_t count, int64_t depth,
                           float* to, int64_t width) {
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t i = 0; i < count; ++i) to[k * width + i] = from[k * stride + i];
    for (int64_t i = count; i < width; ++i) to[k * width + i] = 0;
  }
}

}  // namespace libra::cpu::LIBRA_SET
