// Independent multiply-adds in registers: 24 chains hide their latency.
#include "peak-spin.h"

#include "simd.h"

namespace libra::cpu::LIBRA_SET {

namespace {

// What the register file holds, beside constants.
#if LIBRA_VECTOR_BYTES == 64 || defined(__ARM_NEON)
constexpr int chains = 24;
#else
constexpr int chains = 12;
#endif

#ifdef __AVX512BF16__
constexpr int perLane = 4;
LIBRA_INLINE Floats step(Floats sum) {
  const __m512bh half = (__m512bh)_mm512_set1_epi16(0x3f00);
  return _mm512_dpbf16_ps(sum, half, half);
}
#else
constexpr int perLane = 2;
LIBRA_INLINE Floats step(Floats sum) { return multiplyAdd(sum, splat(0.999f), splat(0.001f)); }
#endif

#ifdef __FMA__
#define LIBRA_REGISTER "+v"
#elif defined(__x86_64__)
#define LIBRA_REGISTER "+x"
#else
#define LIBRA_REGISTER "+w"
#endif

}  // namespace

double spin(int64_t rounds) {
  Floats sums[chains];
#pragma GCC unroll 24
  for (int i = 0; i < chains; ++i) sums[i] = splat(1);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < chains; ++i) {
      sums[i] = step(sums[i]);
      asm volatile("" : LIBRA_REGISTER(sums[i]));  // equal chains would become one
    }
  }
  Floats total = sums[0];
#pragma GCC unroll 24
  for (int i = 1; i < chains; ++i) total = total + sums[i];
  volatile float sink = total[0];
  (void)sink;
  return static_cast<double>(rounds) * chains * lanes * perLane;
}

}  // namespace libra::cpu::LIBRA_SET
