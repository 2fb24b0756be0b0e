// bfloat16 tensors in pairs, as the machine's pair products read them.
#pragma once

#include "attention-tile.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {

typedef uint32_t LooseWords __attribute__((vector_size(64), aligned(2), may_alias));
typedef uint32_t LooseFourWords __attribute__((vector_size(16), aligned(2), may_alias));

LIBRA_INLINE int64_t pairsOf(int64_t count) { return divideUp(count, 2); }

LIBRA_INLINE Pair* takePairs(ScratchFrame& frame, int64_t count) {
  return static_cast<Pair*>(frame.bytes(count * static_cast<int64_t>(sizeof(Pair))));
}

/// Elements i and i + 1 of a row of `width`; 0 beyond it.
LIBRA_INLINE Pair pairAt(const Bfloat16* row, int64_t i, int64_t width) {
  return row[i].bits | (i + 1 < width ? static_cast<Pair>(row[i + 1].bits) << 16 : 0);
}

/// to[row][pairsOf(width)] = the rows' own pairs.
LIBRA_INLINE void copyPairs(const Bfloat16* from, int64_t stride, int64_t rows, int64_t width,
                            Pair* to) {
  const int64_t pairs = pairsOf(width);
  for (int64_t row = 0; row < rows; ++row) {
    if (row + 8 < rows) prefetchElements(from + (row + 8) * stride, width);
    to[row * pairs + pairs - 1] = 0;
    __builtin_memcpy(to + row * pairs, from + row * stride, sizeof(Bfloat16) * width);
  }
}

/// to[row / 2][toWidth] = pairs of equal elements of rows 2i and 2i + 1; 0 for a missing row.
LIBRA_INLINE void interleaveRows(const Bfloat16* from, int64_t stride, int64_t rows, int64_t width,
                                 Pair* to, int64_t toWidth) {
  for (int64_t row = 0; row < rows; row += 2) {
    const Bfloat16* low = from + row * stride;
    const Bfloat16* high = low + stride;
    Pair* pairs = to + row / 2 * toWidth;
    const bool both = row + 1 < rows;
    if (row + 8 < rows) prefetchElements(low + 8 * stride, width);
    int64_t i = 0;
    for (; i + lanes <= width; i += lanes) {
      const Words second =
          both ? reinterpret_cast<Words>(load(high + i)) : Words{};  // already in the high half
      const Words first = reinterpret_cast<Words>(load(low + i)) >> 16;
      *reinterpret_cast<LooseWords*>(pairs + i) = first | second;
    }
    for (; i < width; ++i) {
      pairs[i] = low[i].bits | (both ? static_cast<Pair>(high[i].bits) << 16 : 0);
    }
  }
}

/// to[pair of elements][rowBlock] = the rows' pairs, transposed; lanes without a row get 0.
/// `flip` is combined by exclusive or: the sign bits, or 0.
inline LIBRA_NOINLINE void transposePairs(const Bfloat16* from, int64_t stride, int64_t rows,
                                          int64_t width, Pair flip, Pair* to) {
  transposeRows<Words>(rows, pairsOf(width), to,
                       [&](int64_t row, int64_t pair, int64_t count) LIBRA_LAMBDA {
                         const Bfloat16* at = from + row * stride + 2 * pair;
                         Words pairs{};
                         if (count == lanes && 2 * (pair + lanes) <= width) {
                           pairs = *reinterpret_cast<const LooseWords*>(at);
                         } else {
                           for (int64_t i = 0; i < count; ++i)
                             pairs[i] = pairAt(at, 2 * i, width - 2 * pair);
                         }
                         return pairs ^ flip;
                       });
}

/// Lane-wise pairs (low, high), rounded to nearest even.
LIBRA_INLINE void storePairs(Pair* to, Floats low, Floats high) {
  const __m512i interleave =
      _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                       21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i halves = (__m512i)_mm512_cvtne2ps_pbh(high, low);
  _mm512_storeu_si512(to, _mm512_permutexvar_epi16(interleave, halves));
}

/// Neighbouring lanes as pairs, rounded to nearest even: lanes / 2 of them.
LIBRA_INLINE void storeNeighbours(Pair* to, Floats x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), (__m256i)_mm512_cvtneps_pbh(x));
}

/// Keys of a segment as pairs of elements: in place where vectors of even width lie next to each
/// other, otherwise copied.
class PairRows {
 public:
  PairRows(const Bfloat16* tensor, int64_t dim, const AttentionSegment& segment, int64_t held,
           ScratchFrame& frame)
      : width(pairsOf(dim)),
        tensor_(tensor + segment.keyOffset * dim),
        dim_(dim),
        stride_(segment.keyStride * dim),
        inPlace_(segment.keyStride == 1 && dim % 2 == 0 &&
                 reinterpret_cast<uintptr_t>(tensor_) % sizeof(Pair) == 0) {
    if (!inPlace_) copy_ = takePairs(frame, held * width);
  }

  /// Makes keys [first, first + count) available at row `at` of the copy.
  const Pair* rows(int64_t first, int64_t count, int64_t at) const {
    const Bfloat16* from = tensor_ + first * stride_;
    if (inPlace_) return reinterpret_cast<const Pair*>(from);
    copyPairs(from, stride_, count, dim_, copy_ + at * width);
    return copy_ + at * width;
  }

  const int64_t width;  // pairs of a row

 private:
  const Bfloat16* tensor_;
  int64_t dim_, stride_;
  bool inPlace_;
  Pair* copy_ = nullptr;
};

}  // namespace libra::cpu::LIBRA_SET
