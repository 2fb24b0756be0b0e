// Copies of bfloat16 matrix parts as pairs of neighbouring depths, in the microkernel's order.
#pragma once

#include "pack.h"
#include "pairs.h"

namespace libra::cpu::LIBRA_SET {

typedef uint32_t LooseFourPairs __attribute__((vector_size(16), aligned(2), may_alias));

/// Four rows of `from`, `pairs` whole pairs long, become columns i … i + 3 of `to`.
LIBRA_INLINE void packFourPairs(const Bfloat16* row, int64_t stride, int64_t pairs, Pair* to,
                                int64_t width) {
  int64_t p = 0;
  for (; p + 4 <= pairs; p += 4) {
    FourWords block[4];
    unroll<4>([&](auto r) LIBRA_LAMBDA {
      block[r] = *reinterpret_cast<const LooseFourPairs*>(row + r * stride + 2 * p);
    });
    transposeFour(block[0], block[1], block[2], block[3]);
    unroll<4>([&](auto r) LIBRA_LAMBDA {
      *reinterpret_cast<LooseFourPairs*>(to + (p + r) * width) = block[r];
    });
  }
  for (; p < pairs; ++p) {
    for (int64_t r = 0; r < 4; ++r) to[p * width + r] = pairAt(row + r * stride, 2 * p, 2 * pairs);
  }
}

/// to[k / 2][width] = pairs (k, k + 1) of from[i · stride + k]ᵀ, k in [0, depth), i in [0, count);
/// 0 for i in [count, width) and for the pair's missing half.
LIBRA_INLINE void packTransposed(const Bfloat16* from, int64_t stride, int64_t count, int64_t depth,
                                 Pair* to, int64_t width) {
  constexpr int64_t block = 256;  // depths whose packed rows stay in the first cache
  for (int64_t first = 0; first < depth; first += block) {
    const int64_t depths = least(block, depth - first);
    Pair* packed = to + first / 2 * width;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const Bfloat16* row = from + i * stride + first;
      for (int64_t next = 4; next < 8 && i + next < count; ++next) {
        prefetchElements(row + next * stride, depths);
      }
      packFourPairs(row, stride, depths / 2, packed + i, width);
    }
    for (int64_t k = depths % 2 == 0 ? depths : depths - 1; k < depths; ++k) {
      for (int64_t r = 0; r < i; ++r) {
        packed[k / 2 * width + r] = from[r * stride + first + k].bits;
      }
    }
    for (int64_t k = 0; k < depths; k += 2) {
      for (int64_t r = i; r < width; ++r) {
        packed[k / 2 * width + r] = r < count ? pairAt(from + r * stride + first, k, depths) : 0;
      }
    }
  }
}

/// to[k / 2][width] = pairs (k, k + 1) of from[k · stride + i]; 0 for i in [count, width) and for
/// the pair's missing half.
LIBRA_INLINE void packRows(const Bfloat16* from, int64_t stride, int64_t count, int64_t depth,
                           Pair* to, int64_t width) {
  for (int64_t k = 0; k < depth; k += 2) {
    const Bfloat16* low = from + k * stride;
    const Bfloat16* high = low + stride;
    Pair* pairs = to + k / 2 * width;
    const bool both = k + 1 < depth;
    for (int64_t i = 0; i < count; ++i) {
      pairs[i] = low[i].bits | (both ? static_cast<Pair>(high[i].bits) << 16 : 0);
    }
    for (int64_t i = count; i < width; ++i) pairs[i] = 0;
  }
}

}  // namespace libra::cpu::LIBRA_SET
