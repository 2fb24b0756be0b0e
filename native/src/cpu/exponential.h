// Exponentials by polynomial, float32 results within 1.5 units in the last place.
#pragma once

#include "simd.h"

namespace libra::cpu::LIBRA_SET {

/// 2^(n − 127) from the low bits of n. Scaling by a product, not by adding to the exponent's bits,
/// keeps every NaN a NaN.
LIBRA_INLINE Floats powerOfTwo(Ints biased) { return fromBits(biased << 23); }

/// 2^f on [−½, ½], 1 at 0, highest power first; relative error 2e−8 and 3e−6 in float32.
template <int degree>
inline constexpr float exp2Coefficients[degree + 1] = {};
template <>
inline constexpr float exp2Coefficients<6>[] = {1.535336201e-4f,
                                                1.339887445e-3f,
                                                9.618437358e-3f,
                                                5.550332471e-2f,
                                                2.402264791e-1f,
                                                6.931472029e-1f,
                                                1.0f};
template <>
inline constexpr float exp2Coefficients<4>[] = {9.582852945e-3f, 5.590642616e-2f, 2.402409911e-1f,
                                                6.931241751e-1f, 1.0f};

/// x[i] = 2^x[i] for x ≤ 0 or slightly above; exactly 1 at 0, exactly 0 below −126.5 and at −∞; NaN
/// stays NaN. Several vectors advance side by side: one after another, their chains of
/// multiply-adds would fill the processor's queues.
template <int degree = 6, int count>
LIBRA_INLINE void exp2NonPositive(Floats (&x)[count]) {
  // 1.5 · 2^23 + 127: adding it rounds to an integer whose low bits are a float's exponent. That of
  // −127 is 0, and so is the power of two with those bits.
  const Floats shift = splat(12583039.0f);
  Floats power[count];
  Floats sum[count];
  unroll<count>([&](auto i) LIBRA_LAMBDA { x[i] = larger(splat(-127.0f), x[i]); });
  unroll<count>([&](auto i) LIBRA_LAMBDA { power[i] = x[i] + shift; });
  unroll<count>([&](auto i) LIBRA_LAMBDA { x[i] = x[i] - (power[i] - shift); });
  unroll<count>([&](auto i) LIBRA_LAMBDA { sum[i] = splat(exp2Coefficients<degree>[0]); });
  unroll<degree>([&](auto k) LIBRA_LAMBDA {
    unroll<count>([&](auto i) LIBRA_LAMBDA {
      sum[i] = multiplyAdd(sum[i], x[i], splat(exp2Coefficients<degree>[k + 1]));
    });
  });
  unroll<count>([&](auto i) LIBRA_LAMBDA { x[i] = sum[i] * powerOfTwo(bits(power[i])); });
}

LIBRA_INLINE Floats exp2NonPositive(Floats x) {
  Floats one[] = {x};
  exp2NonPositive(one);
  return one[0];
}

/// e^x for any x: 0 below −86.9, +∞ above 88.7; NaN stays NaN.
/// The argument is reduced in two steps (Cody and Waite) so that large |x| keep full precision.
LIBRA_INLINE Floats exponential(Floats x) {
  const Floats least = splat(-86.9f);
  const Floats most = splat(88.72283f);
  const Ints tooSmall = x < least;
  const Ints tooLarge = x > most;
  const Floats bounded = larger(least, smaller(most, x));
  const Floats shift = splat(12582912.0f);
  const Floats shifted = multiplyAdd(bounded, splat(1.442695041f), shift);
  const Floats n = shifted - shift;
  Floats f = multiplyAdd(n, splat(-0.693359375f), bounded);
  f = multiplyAdd(n, splat(2.12194440e-4f), f);
  Floats p = splat(1.9875691500e-4f);
  p = multiplyAdd(p, f, splat(1.3981999507e-3f));
  p = multiplyAdd(p, f, splat(8.3334519073e-3f));
  p = multiplyAdd(p, f, splat(4.1665795894e-2f));
  p = multiplyAdd(p, f, splat(1.6666665459e-1f));
  p = multiplyAdd(p, f, splat(5.0000001201e-1f));
  p = multiplyAdd(p, f * f, f) + splat(1.0f);
  // In two factors, as 2^128 is no float.
  const Floats result = p * powerOfTwo(bits(shifted) + splatInt(126)) * splat(2.0f);
  const Floats infinite = splat(__builtin_inff());
  return keep(~tooSmall, tooLarge ? infinite : result);
}

}  // namespace libra::cpu::LIBRA_SET
