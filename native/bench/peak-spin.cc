// Independent multiply-adds in registers: 24 chains hide their latency. Compiled once for each
// instruction set; LIBRA_SPIN is the function's name.
#include <cstdint>
#ifdef __FMA__
#include <immintrin.h>
#endif

namespace bench {

#if defined(LIBRA_SPIN_BFLOAT16)
using Vector = __m512;
constexpr int perLane = 4;
inline Vector step(Vector sum) {
  const __m512bh half = (__m512bh)_mm512_set1_epi16(0x3f00);
  return _mm512_dpbf16_ps(sum, half, half);
}
inline Vector one() { return _mm512_set1_ps(1); }
#elif defined(__AVX512F__)
using Vector = __m512;
constexpr int perLane = 2;
inline Vector step(Vector sum) {
  return _mm512_fmadd_ps(sum, _mm512_set1_ps(0.999f), _mm512_set1_ps(0.001f));
}
inline Vector one() { return _mm512_set1_ps(1); }
#elif defined(__FMA__)
using Vector = __m256;
constexpr int perLane = 2;
inline Vector step(Vector sum) {
  return _mm256_fmadd_ps(sum, _mm256_set1_ps(0.999f), _mm256_set1_ps(0.001f));
}
inline Vector one() { return _mm256_set1_ps(1); }
#else
typedef float Vector __attribute__((vector_size(16)));
constexpr int perLane = 2;
inline Vector step(Vector sum) { return sum * 0.999f + 0.001f; }
inline Vector one() { return Vector{1, 1, 1, 1}; }
#endif

#ifdef __FMA__
#define LIBRA_REGISTER "+v"
#elif defined(__x86_64__)
#define LIBRA_REGISTER "+x"
#else
#define LIBRA_REGISTER "+w"
#endif

// What the register file holds, beside constants.
#ifdef __AVX512F__
constexpr int chains = 24;
#else
constexpr int chains = 12;
#endif

double LIBRA_SPIN(int64_t rounds) {
  Vector sums[chains];
#pragma GCC unroll 24
  for (int i = 0; i < chains; ++i) sums[i] = one();
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < chains; ++i) {
      sums[i] = step(sums[i]);
      asm volatile("" : LIBRA_REGISTER(sums[i]));  // equal chains would become one
    }
  }
  Vector total = sums[0];
#pragma GCC unroll 24
  for (int i = 1; i < chains; ++i) total = total + sums[i];
  volatile float sink = total[0];
  (void)sink;
  return static_cast<double>(rounds) * chains * sizeof(Vector) / 4 * perLane;
}

}  // namespace bench
