// Thin layer over GCC's and Clang's vector extensions: the widest float vector of this set.
//
// Multiply-add is explicit and everything is compiled with -ffp-contract=off, so that two
// instantiations of one formula always round alike; "base" has no fused form on x86 and rounds
// twice, everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "isa.h"
#if defined(__SSE__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace libra::cpu::LIBRA_SET {

inline constexpr int lanes = LIBRA_VECTOR_BYTES / 4;

typedef float Floats __attribute__((vector_size(LIBRA_VECTOR_BYTES)));
typedef int32_t Ints __attribute__((vector_size(LIBRA_VECTOR_BYTES)));
typedef float LooseFloats __attribute__((vector_size(LIBRA_VECTOR_BYTES), aligned(4), may_alias));
typedef int32_t LooseInts __attribute__((vector_size(LIBRA_VECTOR_BYTES), aligned(4), may_alias));
/// As many doubles as half a vector of floats: what a float vector's half widens to.
typedef double Doubles __attribute__((vector_size(LIBRA_VECTOR_BYTES)));
typedef float HalfFloats __attribute__((vector_size(LIBRA_VECTOR_BYTES / 2)));
typedef float LooseHalfFloats
    __attribute__((vector_size(LIBRA_VECTOR_BYTES / 2), aligned(4), may_alias));
inline constexpr int halfLanes = lanes / 2;

LIBRA_INLINE Floats load(const float* from) { return *reinterpret_cast<const LooseFloats*>(from); }
LIBRA_INLINE void store(float* to, Floats x) { *reinterpret_cast<LooseFloats*>(to) = x; }
LIBRA_INLINE Floats splat(float x) { return x - Floats{}; }
LIBRA_INLINE Ints splatInt(int32_t x) { return x - Ints{}; }
LIBRA_INLINE Ints bits(Floats x) { return reinterpret_cast<Ints>(x); }
LIBRA_INLINE Floats fromBits(Ints x) { return reinterpret_cast<Floats>(x); }

/// a · b + c
LIBRA_INLINE Floats multiplyAdd(Floats a, Floats b, Floats c) {
#if LIBRA_VECTOR_BYTES == 64
  return _mm512_fmadd_ps(a, b, c);
#elif LIBRA_VECTOR_BYTES == 32
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_NEON)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}

/// The larger one; b where either is not a number.
LIBRA_INLINE Floats larger(Floats a, Floats b) { return a > b ? a : b; }
LIBRA_INLINE Floats smaller(Floats a, Floats b) { return a < b ? a : b; }

/// x where the mask (all ones or all zeros per lane) is set, else 0.
LIBRA_INLINE Floats keep(Ints mask, Floats x) { return fromBits(bits(x) & mask); }

/// Whether some lane of a mask is set.
LIBRA_INLINE bool anyLane(Ints mask) {
#if LIBRA_VECTOR_BYTES == 64
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) !=
         0;
#else
  int32_t any = 0;
  for (int i = 0; i < lanes; ++i) any |= mask[i];
  return any != 0;
#endif
}

/// {0, 1, 2, …}
LIBRA_INLINE Ints laneNumbers() {
  Ints numbers;
  for (int i = 0; i < lanes; ++i) numbers[i] = i;
  return numbers;
}

/// The first `count` lanes of memory, 0 in the others; reads nothing beyond.
LIBRA_INLINE Floats loadSome(const float* from, int64_t count) {
  Floats x{};
  for (int64_t i = 0; i < count; ++i) x[i] = from[i];
  return x;
}
LIBRA_INLINE void storeSome(float* to, Floats x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = x[i];
}

/// Lane i gets lane i ^ distance.
template <int distance, size_t... index>
LIBRA_INLINE Floats exchangeLanes(Floats x, std::index_sequence<index...>) {
  return __builtin_shufflevector(x, x, (static_cast<int>(index) ^ distance)...);
}
template <int distance>
LIBRA_INLINE Floats addExchanged(Floats x) {
  return x + exchangeLanes<distance>(x, std::make_index_sequence<lanes>{});
}

/// Sum of all lanes, in ascending order of pairs at distance 1, 2, 4, …
LIBRA_INLINE float sumLanes(Floats x) {
  x = addExchanged<1>(x);
  x = addExchanged<2>(x);
  if constexpr (lanes > 4) x = addExchanged<4>(x);
  if constexpr (lanes > 8) x = addExchanged<8>(x);
  return x[0];
}

/// body(0), body(1), …, body(count − 1) without a loop: a loop over an array of vectors made g++
/// spill every accumulator (85 instead of 265 GFLOP/s). Sanitizers get the loop: they would take
/// minutes and gigabytes to compile hundreds of checked accesses in a row.
#ifdef LIBRA_SANITIZED
template <int count, class Body>
LIBRA_INLINE void unroll(Body&& body) {
  for (int i = 0; i < count; ++i) body(i);
}
#else
template <class Body, size_t... index>
LIBRA_INLINE void unrollOver(Body&& body, std::index_sequence<index...>) {
  (body(std::integral_constant<int, static_cast<int>(index)>{}), ...);
}
template <int count, class Body>
LIBRA_INLINE void unroll(Body&& body) {
  unrollOver(body, std::make_index_sequence<count>{});
}
#endif

}  // namespace libra::cpu::LIBRA_SET
