// Rows of tensors into tiles whose lanes are rows, and back, a square of lanes × lanes at a time.
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

/// Lane k of a row of 2 × 2 squares of `step` lanes whose other row is `lanes` further: what the
/// first (or second) row holds after the squares' corners changed places.
constexpr int swappedLane(int k, int step, bool second) {
  const bool high = (k & step) != 0;
  return second ? (high ? k + lanes : k + step) : (high ? k + lanes - step : k);
}

template <int step, class Vector, size_t... k>
LIBRA_INLINE void swapSquares(Vector& a, Vector& b, std::index_sequence<k...>) {
  const Vector first = __builtin_shufflevector(a, b, swappedLane(k, step, false)...);
  b = __builtin_shufflevector(a, b, swappedLane(k, step, true)...);
  a = first;
}

template <int step, class Vector, size_t... i>
LIBRA_INLINE void swapSquaresOf(Vector (&rows)[lanes], std::index_sequence<i...>) {
  const auto swap = [&](auto low) LIBRA_LAMBDA {
    if constexpr ((low & step) == 0) {
      swapSquares<step>(rows[low], rows[low + step], std::make_index_sequence<lanes>{});
    }
  };
  (swap(std::integral_constant<int, static_cast<int>(i)>{}), ...);
}

/// Transposes a square of `lanes` vectors of 32-bit lanes.
template <int step = lanes / 2, class Vector>
LIBRA_INLINE void transposeSquare(Vector (&rows)[lanes]) {
  swapSquaresOf<step>(rows, std::make_index_sequence<lanes>{});
  if constexpr (step > 1) transposeSquare<step / 2>(rows);
}

/// to[d][rowBlock] = read(l, d)'s vectors transposed: those of rows l at elements d …; 0 for lanes
/// without a row. `width`: how many of the vectors' elements there are.
template <class Vector, class Word, class Read>
LIBRA_INLINE void transposeRows(int64_t rows, int64_t width, Word* to, Read&& read) {
  for (int64_t l = 0; l < rowBlock; l += lanes) {
    const int64_t here = rows - l;
    for (int64_t d = 0; d < width; d += lanes) {
      const int64_t count = least(lanes, width - d);
      Vector square[lanes];
      for (int i = 0; i < lanes; ++i) square[i] = i < here ? read(l + i, d, count) : Vector{};
      transposeSquare(square);
      Word* column = to + d * rowBlock + l;
      for (int i = 0; i < count; ++i) {
        __builtin_memcpy(column + i * rowBlock, &square[i], sizeof(Vector));
      }
    }
  }
}

/// to[d][rowBlock] = factor · from[row][d]ᵀ; lanes without a row get 0. `stride` in elements.
template <class Element>
LIBRA_NOINLINE void transposeIn(const Element* from, int64_t stride, int64_t rows, int64_t width,
                                float factor, float* to) {
  transposeRows<Floats>(rows, width, to, [&](int64_t row, int64_t d, int64_t count) LIBRA_LAMBDA {
    const Element* at = from + row * stride + d;
    if (count == lanes) return load(at) * splat(factor);
    Floats x{};
    for (int64_t i = 0; i < count; ++i) x[i] = widened(at[i]) * factor;
    return x;
  });
}

/// to[row][d] (+)= from[d][rowBlock]ᵀ · factors[row]
template <bool accumulate, class Element>
LIBRA_NOINLINE void transposeOut(const float* from, int64_t rows, int64_t width,
                                 const float* factors, Element* to, int64_t stride) {
  for (int64_t l = 0; l < rows; l += lanes) {
    const int64_t here = least(lanes, rows - l);
    for (int64_t d = 0; d < width; d += lanes) {
      const int64_t count = least(lanes, width - d);
      Floats square[lanes];
      for (int i = 0; i < lanes; ++i) {
        square[i] = i < count ? load(from + (d + i) * rowBlock + l) : Floats{};
      }
      transposeSquare(square);
      for (int r = 0; r < here; ++r) {
        Element* at = to + (l + r) * stride + d;
        Floats x = square[r] * splat(factors[l + r]);
        if (count == lanes) {
          if constexpr (accumulate) x = load(at) + x;
          store(at, x);
          continue;
        }
        for (int64_t i = 0; i < count; ++i) {
          storeOne(at + i, accumulate ? widened(at[i]) + x[i] : x[i]);
        }
      }
    }
  }
}

}  // namespace libra::cpu::LIBRA_SET
