// The one microkernel of the library: a register block of C (op)= A · B.
//
// C is `rows` × `vectors` float vectors, kept in registers over the whole depth. A is read one
// element at a time and broadcast, B one row of vectors at a time. Attention's five products and
// the linear layers differ only in strides and in what C starts from. Each element of C is one
// chain of multiply-adds in ascending depth, whatever the block's shape: that is what makes results
// independent of how a product is cut.
#pragma once

#include "simd.h"

namespace libra::cpu::LIBRA_SET {

/// What happens to C's old value: nothing, the chain starts from it, the chain starts from it times
/// a factor per lane, or another matrix (perhaps C itself) is added at the chain's end.
enum class Start { zero, add, rescale, addAfter };

/// Two bfloat16 next to each other in depth, the first in the low half: one operand of the
/// machine's pair products.
typedef uint32_t Pair;

/// How elements of A and B are read and multiplied; C is always float.
template <class Element>
struct Arithmetic;

template <>
struct Arithmetic<float> {
  using Row = Floats;
  static constexpr int depths = 1;  // terms of the sum in one element
  static LIBRA_INLINE Row row(const float* from) { return load(from); }
  static LIBRA_INLINE Row broadcast(float x) { return splat(x); }
  static LIBRA_INLINE Floats add(Row a, Row b, Floats sum) { return multiplyAdd(a, b, sum); }
};

#ifdef __AVX512BF16__
template <>
struct Arithmetic<Pair> {
  using Row = __m512bh;
  static constexpr int depths = 2;
  static LIBRA_INLINE Row row(const Pair* from) { return (__m512bh)_mm512_loadu_si512(from); }
  static LIBRA_INLINE Row broadcast(Pair x) {
    return (__m512bh)_mm512_set1_epi32(static_cast<int>(x));
  }
  static LIBRA_INLINE Floats add(Row a, Row b, Floats sum) { return _mm512_dpbf16_ps(sum, a, b); }
};
#endif

/// A's element (row i, depth k) lies at from[i · rowStride + k · depthStride].
template <class Element>
struct Broadcast {
  const Element* from;
  int64_t rowStride;
  int64_t depthStride;

  LIBRA_INLINE Broadcast at(int64_t row, int64_t depth) const {
    return {from + row * rowStride + depth * depthStride, rowStride, depthStride};
  }
};

/// Registers for C: what the register file leaves beside a row of B, a broadcast and, where there
/// is no fused multiply-add, a product.
#if LIBRA_VECTOR_BYTES == 64
inline constexpr int accumulators = 24, wideVectors = 4;
#elif defined(__ARM_NEON)
inline constexpr int accumulators = 24, wideVectors = 4;
#elif LIBRA_VECTOR_BYTES == 32
inline constexpr int accumulators = 12, wideVectors = 2;
#else
inline constexpr int accumulators = 9, wideVectors = 3;
#endif

/// Rows of the register block that is `vectors` wide.
constexpr int blockRows(int vectors) {
  return accumulators / vectors < 16 ? accumulators / vectors : 16;
}

/// C[rows][vectors] (op)= Σ_k A(i, k) · B[k][vectors]; strides and depth in elements. `extra`: the
/// factors, one per lane (rescale), or the matrix to add, which has C's stride (addAfter).
template <int rows, int vectors, Start start, class Element>
LIBRA_INLINE void productBlock(Broadcast<Element> a, const Element* b, int64_t bStride, float* c,
                               int64_t cStride, int64_t depth, const float* extra) {
  Floats sum[rows][vectors];
  unroll<vectors>([&](auto j) LIBRA_LAMBDA {
    [[maybe_unused]] Floats factor;
    if constexpr (start == Start::rescale) factor = load(extra + j * lanes);
    unroll<rows>([&](auto i) LIBRA_LAMBDA {
      if constexpr (start == Start::zero || start == Start::addAfter) {
        sum[i][j] = splat(0.0f);
      } else if constexpr (start == Start::add) {
        sum[i][j] = load(c + i * cStride + j * lanes);
      } else {
        sum[i][j] = factor * load(c + i * cStride + j * lanes);
      }
    });
  });
  using Terms = Arithmetic<Element>;
  const Element* from = a.from;
  for (int64_t k = 0; k < depth; ++k) {
    typename Terms::Row row[vectors];
    unroll<vectors>([&](auto j) LIBRA_LAMBDA { row[j] = Terms::row(b + j * lanes); });
    unroll<rows>([&](auto i) LIBRA_LAMBDA {
      const typename Terms::Row element = Terms::broadcast(from[i * a.rowStride]);
      unroll<vectors>([&](auto j)
                          LIBRA_LAMBDA { sum[i][j] = Terms::add(element, row[j], sum[i][j]); });
    });
    from += a.depthStride;
    b += bStride;
  }
  unroll<rows>([&](auto i) LIBRA_LAMBDA {
    unroll<vectors>([&](auto j) LIBRA_LAMBDA {
      const int64_t at = i * cStride + j * lanes;
      if constexpr (start == Start::addAfter) {
        store(c + at, load(extra + at) + sum[i][j]);
      } else {
        store(c + at, sum[i][j]);
      }
    });
  });
}

/// The last, shorter block of rows: productBlock with `count` ≤ rows of them.
template <int rows, int vectors, Start start, class Element>
LIBRA_INLINE void productTail(int64_t count, Broadcast<Element> a, const Element* b,
                              int64_t bStride, float* c, int64_t cStride, int64_t depth,
                              const float* extra) {
  if constexpr (rows > 0) {
    if (count == rows) {
      productBlock<rows, vectors, start>(a, b, bStride, c, cStride, depth, extra);
    } else {
      productTail<rows - 1, vectors, start>(count, a, b, bStride, c, cStride, depth, extra);
    }
  }
}

/// C[count][vectors] (op)= A · B in register blocks.
template <int vectors, Start start, class Element>
LIBRA_NOINLINE void productStrip(int64_t count, Broadcast<Element> a, const Element* b,
                                 int64_t bStride, float* c, int64_t cStride, int64_t depth,
                                 const float* extra = nullptr) {
#ifdef LIBRA_SANITIZED
  constexpr int rows = 1;
#else
  constexpr int rows = blockRows(vectors);
#endif
  int64_t i = 0;
  for (; i + rows <= count; i += rows) {
    productBlock<rows, vectors, start>(a.at(i, 0), b, bStride, c + i * cStride, cStride, depth,
                                       extra);
  }
  productTail<rows - 1, vectors, start>(count - i, a.at(i, 0), b, bStride, c + i * cStride, cStride,
                                        depth, extra);
}

/// C[count][width] += A · B, lanes along the width; width is a multiple of `lanes`.
template <class Element>
LIBRA_INLINE void wideProduct(int64_t count, int64_t width, Broadcast<Element> a, const Element* b,
                              int64_t bStride, float* c, int64_t cStride, int64_t depth) {
  for (int64_t left = width / lanes; left > 0;) {
    // Five vectors are cut 3 + 2, not 4 + 1: narrow blocks reload the broadcasts more often.
    const int64_t now = left <= wideVectors       ? left
                        : left == wideVectors + 1 ? (left + 1) / 2
                                                  : wideVectors;
    const auto strip = [&](auto vectors) LIBRA_LAMBDA {
      productStrip<vectors, Start::add>(count, a, b, bStride, c, cStride, depth);
    };
    if (wideVectors >= 4 && now == 4) {
      strip(std::integral_constant<int, wideVectors >= 4 ? 4 : 1>{});
    } else if (wideVectors >= 3 && now == 3) {
      strip(std::integral_constant<int, wideVectors >= 3 ? 3 : 1>{});
    } else if (now == 2) {
      strip(std::integral_constant<int, 2>{});
    } else {
      strip(std::integral_constant<int, 1>{});
    }
    left -= now;
    b += now * lanes;
    c += now * lanes;
  }
}

}  // namespace libra::cpu::LIBRA_SET
