// SwiGLU: out = gate · sigmoid(gate) · up.
#include "exponential.h"
#include "kernel-list.h"
#include "map.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// 1 / x, relative error below 2^−13.
LIBRA_INLINE Floats roughReciprocal(Floats x) {
#if LIBRA_VECTOR_BYTES == 64
  return _mm512_maskz_rcp14_ps(0xffff, x);  // unmasked, g++ 12 warns
#elif defined(__SSE__)
#if LIBRA_VECTOR_BYTES == 32
  const Floats rough = _mm256_rcp_ps(x);
#else
  const Floats rough = _mm_rcp_ps(x);
#endif
  return rough * (splat(2.0f) - x * rough);  // 12 bits are too few: one step of Newton's
#else
  return splat(1.0f) / x;
#endif
}

/// x[i] = 1 / (1 + e^−x[i]), relative error below 2^−11; NaN stays NaN. 2^f on [−½, ½] by a
/// polynomial of degree 4. Vectors advance side by side: see mapGroups.
template <int count>
LIBRA_INLINE void roughSigmoids(Floats (&x)[count]) {
  const Floats factor = splat(-1.442695041f);
  // 1.5 · 2^23 + 127: adding it rounds to an integer whose low bits are a float's exponent.
  const Floats shift = splat(12583039.0f);
  Floats power[count];
  Floats sum[count];
  unroll<count>([&](auto i)
                    LIBRA_LAMBDA { x[i] = larger(splat(-87.0f), smaller(splat(87.0f), x[i])); });
  unroll<count>([&](auto i) LIBRA_LAMBDA { power[i] = multiplyAdd(x[i], factor, shift); });
  unroll<count>([&](auto i) LIBRA_LAMBDA { x[i] = multiplyAdd(x[i], factor, shift - power[i]); });
  constexpr float coefficients[] = {5.550332471e-2f, 2.402264791e-1f, 6.931472029e-1f, 1.0f};
  unroll<count>([&](auto i) LIBRA_LAMBDA { sum[i] = splat(9.618437358e-3f); });
  unroll<4>([&](auto k) LIBRA_LAMBDA {
    unroll<count>([&](auto i)
                      LIBRA_LAMBDA { sum[i] = multiplyAdd(sum[i], x[i], splat(coefficients[k])); });
  });
  unroll<count>([&](auto i) LIBRA_LAMBDA {
    x[i] = roughReciprocal(multiplyAdd(sum[i], powerOfTwo(bits(power[i])), splat(1.0f)));
  });
}

/// As exact as a result stored as Element can show.
template <class Element, int count>
LIBRA_INLINE void sigmoids(Floats (&x)[count]) {
  if constexpr (sizeof(Element) < sizeof(float)) return roughSigmoids(x);
  unroll<count>([&](auto i)
                    LIBRA_LAMBDA { x[i] = splat(1.0f) / (splat(1.0f) + exponential(-x[i])); });
}

/// Vectors that advance side by side: the exact form has long chains of its own to overlap.
template <class Element>
inline constexpr int group = sizeof(Element) < sizeof(float) ? 4 : 1;

template <class Element>
void gateElements(Workers& workers, const SwigluOf<Element>& a) {
  const bool passing = passes(a.out, a.count) && a.out != a.gate && a.out != a.up;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapGroups<group<Element>>(first, last, passing, [&](auto& places) LIBRA_LAMBDA {
      constexpr int count = sizeof(places) / sizeof(places[0]);
      Floats gate[count];
      Floats sigmoid[count];
      unroll<count>([&](auto i) LIBRA_LAMBDA { sigmoid[i] = gate[i] = places[i].read(a.gate); });
      sigmoids<Element>(sigmoid);
      unroll<count>([&](auto i) LIBRA_LAMBDA {
        places[i].write(a.out, gate[i] * sigmoid[i] * places[i].read(a.up));
      });
    });
  });
}

template <class Element>
void gateElementsBackward(Workers& workers, const SwigluBackwardOf<Element>& a) {
  const bool inPlace = a.dGate == a.gate || a.dGate == a.up || a.dGate == a.dOut ||
                       a.dUp == a.gate || a.dUp == a.up || a.dUp == a.dOut;
  const bool passing = passes(a.dGate, a.count) && passes(a.dUp, a.count) && !inPlace;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapGroups<group<Element>>(first, last, passing, [&](auto& places) LIBRA_LAMBDA {
      constexpr int count = sizeof(places) / sizeof(places[0]);
      Floats gate[count];
      Floats sigmoid[count];
      unroll<count>([&](auto i) LIBRA_LAMBDA { sigmoid[i] = gate[i] = places[i].read(a.gate); });
      sigmoids<Element>(sigmoid);
      unroll<count>([&](auto i) LIBRA_LAMBDA {
        const Floats silu = gate[i] * sigmoid[i];
        const Floats dOut = places[i].read(a.dOut);
        const Floats up = places[i].read(a.up);
        // d silu / d gate = s + gate · s · (1 − s)
        const Floats slope = sigmoid[i] + silu * (splat(1.0f) - sigmoid[i]);
        places[i].write(a.dGate, dOut * up * slope);
        places[i].write(a.dUp, dOut * silu);
      });
    });
  });
}

}  // namespace

void swiglu(Workers& workers, const SwigluArguments& a) { gateElements(workers, a); }
void swigluBfloat16(Workers& workers, const SwigluBfloat16Arguments& a) {
  gateElements(workers, a);
}

void swigluBackward(Workers& workers, const SwigluBackwardArguments& a) {
  gateElementsBackward(workers, a);
}
void swigluBackwardBfloat16(Workers& workers, const SwigluBackwardBfloat16Arguments& a) {
  gateElementsBackward(workers, a);
}

}  // namespace libra::cpu::LIBRA_SET
