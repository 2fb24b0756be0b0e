// bfloat16 in memory, float32 in registers. Narrowing rounds to nearest even and keeps NaN a NaN.
#pragma once

#include "libra/kernels.h"
#include "simd.h"

namespace libra::cpu::LIBRA_SET {

typedef uint32_t Words __attribute__((vector_size(LIBRA_VECTOR_BYTES)));
typedef uint16_t Halves __attribute__((vector_size(LIBRA_VECTOR_BYTES / 2)));
typedef uint16_t LooseHalves
    __attribute__((vector_size(LIBRA_VECTOR_BYTES / 2), aligned(2), may_alias));

typedef float Four __attribute__((vector_size(16)));
typedef float LooseFour __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t FourWords __attribute__((vector_size(16)));
typedef uint16_t FourHalves __attribute__((vector_size(8)));
typedef uint16_t LooseFourHalves __attribute__((vector_size(8), aligned(2), may_alias));

/// The 16 bits of each lane's bfloat16, in the low half of a word.
template <class AnyFloats, class AnyWords>
LIBRA_INLINE AnyWords narrowBits(AnyFloats x) {
  const AnyWords word = reinterpret_cast<AnyWords>(x);
  const AnyWords rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  const AnyWords quiet = (word >> 16) | 0x40;
  return x == x ? rounded : quiet;
}

LIBRA_INLINE Floats load(const Bfloat16* from) {
#if LIBRA_VECTOR_BYTES == 64
  // Spelled out: g++ widens each half on its own.
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m512i words = _mm512_maskz_cvtepu16_epi32(0xffff, half);  // unmasked, g++ 12 warns
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(words) << 16);
#elif LIBRA_VECTOR_BYTES == 32
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Floats>(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
#else
  const LooseHalves half = *reinterpret_cast<const LooseHalves*>(from);
  return reinterpret_cast<Floats>(__builtin_convertvector(half, Words) << 16);
#endif
}
/// A vector rounded. The machine's own instruction makes denormal values 0.
LIBRA_INLINE Halves narrowed(Floats x) {
#ifdef __AVX512BF16__
  return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(x));
#else
  return __builtin_convertvector((narrowBits<Floats, Words>(x)), Halves);
#endif
}
LIBRA_INLINE void store(Bfloat16* to, Floats x) {
  *reinterpret_cast<LooseHalves*>(to) = narrowed(x);
}

LIBRA_INLINE float widened(float x) { return x; }
LIBRA_INLINE float widened(Bfloat16 x) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(x.bits) << 16);
}
LIBRA_INLINE void storeOne(float* to, float x) { *to = x; }
LIBRA_INLINE void storeOne(Bfloat16* to, float x) {
  const uint32_t word = __builtin_bit_cast(uint32_t, x);
  const uint32_t rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  to->bits = static_cast<uint16_t>(x == x ? rounded : (word >> 16) | 0x40);
}

LIBRA_INLINE Four loadFour(const float* from) { return *reinterpret_cast<const LooseFour*>(from); }
LIBRA_INLINE Four loadFour(const Bfloat16* from) {
  const LooseFourHalves half = *reinterpret_cast<const LooseFourHalves*>(from);
  return reinterpret_cast<Four>(__builtin_convertvector(half, FourWords) << 16);
}
LIBRA_INLINE void storeFour(float* to, Four x) { *reinterpret_cast<LooseFour*>(to) = x; }
LIBRA_INLINE void storeFour(Bfloat16* to, Four x) {
  const FourWords bits = narrowBits<Four, FourWords>(x);
  *reinterpret_cast<LooseFourHalves*>(to) = __builtin_convertvector(bits, FourHalves);
}

/// Asks for `count` elements to be brought into the caches.
template <class Element>
LIBRA_INLINE void prefetchElements(const Element* from, int64_t count) {
  for (int64_t i = 0; i < count; i += 64 / static_cast<int64_t>(sizeof(Element))) {
    __builtin_prefetch(from + i);
  }
}

}  // namespace libra::cpu::LIBRA_SET
