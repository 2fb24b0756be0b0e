// Copies of matrix parts in the order in which the microkernel reads them.
#pragma once

#include "bfloat16.h"
#include "sizes.h"
#include "transpose.h"

namespace libra::cpu::LIBRA_SET {

/// Four rows of `from`, `depth` long, become columns i … i + 3 of `to`.
template <class Element>
LIBRA_INLINE void packFour(const Element* row, int64_t stride, int64_t depth, float* to,
                           int64_t width) {
  int64_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    Four a = loadFour(row + k);
    Four b = loadFour(row + stride + k);
    Four c = loadFour(row + 2 * stride + k);
    Four d = loadFour(row + 3 * stride + k);
    transposeFour(a, b, c, d);
    storeFour(to + k * width, a);
    storeFour(to + (k + 1) * width, b);
    storeFour(to + (k + 2) * width, c);
    storeFour(to + (k + 3) * width, d);
  }
  for (; k < depth; ++k) {
    for (int64_t r = 0; r < 4; ++r) to[k * width + r] = widened(row[r * stride + k]);
  }
}

/// to[k][width] = from[i · stride + k]ᵀ, k in [0, depth), i in [0, count); 0 for i in [count,
/// width).
template <class Element>
LIBRA_INLINE void packTransposed(const Element* from, int64_t stride, int64_t count, int64_t depth,
                                 float* to, int64_t width) {
  constexpr int64_t block = 128;  // depths whose packed rows stay in the first cache
  for (int64_t first = 0; first < depth; first += block) {
    const int64_t depths = least(block, depth - first);
    float* packed = to + first * width;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const Element* row = from + i * stride + first;
      for (int64_t next = 4; next < 8 && i + next < count; ++next) {
        prefetchElements(row + next * stride, depths);
      }
      packFour(row, stride, depths, packed + i, width);
    }
    for (int64_t k = 0; k < depths; ++k) {
      for (int64_t r = i; r < width; ++r) {
        packed[k * width + r] = r < count ? widened(from[r * stride + first + k]) : 0;
      }
    }
  }
}

/// to[k][width] = from[k · stride + i]; 0 for i in [count, width).
template <class Element>
LIBRA_INLINE void packRows(const Element* from, int64_t stride, int64_t count, int64_t depth,
                           float* to, int64_t width) {
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t i = 0; i < count; ++i) to[k * width + i] = widened(from[k * stride + i]);
    for (int64_t i = count; i < width; ++i) to[k * width + i] = 0;
  }
}

}  // namespace libra::cpu::LIBRA_SET
