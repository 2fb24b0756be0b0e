// Rows of tensors into tiles whose lanes are rows, and back.
#pragma once

#include "attention-plan.h"
#include "bfloat16.h"
#include "sizes.h"

namespace libra::cpu::LIBRA_SET {

/// Transposes a 4 × 4 block held in four vectors.
template <class Vector>
LIBRA_INLINE void transposeFour(Vector& a, Vector& b, Vector& c, Vector& d) {
  const Vector ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Vector cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Vector abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  c = __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5);
  d = __builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7);
}

/// to[d][rowBlock] = factor · from[row][d]ᵀ; lanes without a row get 0. `stride` in elements.
template <class Element>
LIBRA_NOINLINE void transposeIn(const Element* from, int64_t stride, int64_t rows, int64_t width,
                                float factor, float* to) {
  const int64_t whole = width / 4 * 4;
  for (int64_t l = 0; l < rowBlock; l += 4) {
    const int64_t here = most(0, least(4, rows - l));
    if (here < 4) {
      for (int64_t d = 0; d < width; ++d) storeFour(to + d * rowBlock + l, Four{});
      for (int64_t i = 0; i < here; ++i) {
        const Element* row = from + (l + i) * stride;
        for (int64_t d = 0; d < width; ++d) to[d * rowBlock + l + i] = widened(row[d]) * factor;
      }
      continue;
    }
    const Element* row = from + l * stride;
    for (int64_t d = 0; d < whole; d += 4) {
      Four a = loadFour(row + d) * factor;
      Four b = loadFour(row + stride + d) * factor;
      Four c = loadFour(row + 2 * stride + d) * factor;
      Four e = loadFour(row + 3 * stride + d) * factor;
      transposeFour(a, b, c, e);
      storeFour(to + d * rowBlock + l, a);
      storeFour(to + (d + 1) * rowBlock + l, b);
      storeFour(to + (d + 2) * rowBlock + l, c);
      storeFour(to + (d + 3) * rowBlock + l, e);
    }
    for (int64_t d = whole; d < width; ++d) {
      for (int64_t i = 0; i < 4; ++i)
        to[d * rowBlock + l + i] = widened(row[i * stride + d]) * factor;
    }
  }
}

/// to[row][d] (+)= from[d][rowBlock]ᵀ · factors[row]
template <bool accumulate, class Element>
LIBRA_NOINLINE void transposeOut(const float* from, int64_t rows, int64_t width,
                                 const float* factors, Element* to, int64_t stride) {
  const int64_t whole = width / 4 * 4;
  for (int64_t l = 0; l < rows; l += 4) {
    const int64_t here = least(4, rows - l);
    for (int64_t d = 0; d < whole; d += 4) {
      Four block[4];
      for (int i = 0; i < 4; ++i) block[i] = loadFour(from + (d + i) * rowBlock + l);
      transposeFour(block[0], block[1], block[2], block[3]);
      for (int64_t i = 0; i < here; ++i) {
        Element* row = to + (l + i) * stride + d;
        Four x = block[i] * factors[l + i];
        if constexpr (accumulate) x = loadFour(row) + x;
        storeFour(row, x);
      }
    }
    for (int64_t d = whole; d < width; ++d) {
      for (int64_t i = 0; i < here; ++i) {
        Element* element = to + (l + i) * stride + d;
        const float x = from[d * rowBlock + l + i] * factors[l + i];
        storeOne(element, accumulate ? widened(*element) + x : x);
      }
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
