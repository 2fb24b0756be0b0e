// Gradient norm, clipping and AdamW.
#include "kernel-list.h"
#include "ranges.h"
#include "scratch.h"
#include "simd.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Σ x² of at most taskElements elements, in double.
double squares(const float* x, int64_t count) {
  Doubles sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * halfLanes <= count; i += 4 * halfLanes) {
    unroll<4>([&](auto j) LIBRA_LAMBDA {
      const HalfFloats part = *reinterpret_cast<const LooseHalfFloats*>(x + i + j * halfLanes);
      const Doubles wide = __builtin_convertvector(part, Doubles);
      sums[j] = sums[j] + wide * wide;
    });
  }
  const Doubles all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (int l = 0; l < halfLanes; ++l) sum += all[l];
  for (; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

struct AdamWFactors {
  float gradient;    // clipping
  float keepWeight;  // 1 − learning rate · weight decay
  float firstShare;  // 1 − beta1
  float beta2;
  float secondShare;     // 1 − beta2
  float rate;            // learning rate / (1 − beta1^step)
  float rootCorrection;  // 1 / √(1 − beta2^step)
  float eps;
};

/// A function of its own, factors by value: a loop that reads them through a lambda's references
/// did not become vector code.
LIBRA_NOINLINE void adamWRange(float* __restrict parameter, const float* __restrict gradient,
                               float* __restrict m, float* __restrict v, int64_t count,
                               const AdamWFactors f) {
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * f.gradient;
    const float first = m[i] + (g - m[i]) * f.firstShare;
    const float second = v[i] * f.beta2 + g * g * f.secondShare;
    m[i] = first;
    v[i] = second;
    const float spread = __builtin_sqrtf(second) * f.rootCorrection + f.eps;
    parameter[i] = parameter[i] * f.keepWeight - f.rate * first / spread;
  }
}

}  // namespace

void sumSquares(Workers& workers, const SumSquaresArguments& a) {
  ScratchFrame frame;
  const int64_t chunks = (a.count + taskElements - 1) / taskElements;
  double* parts = frame.doubles(chunks);
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    parts[first / taskElements] = squares(a.x + first, last - first);
  });
  double sum = a.accumulate ? *a.out : 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += parts[chunk];
  *a.out = sum;
}

void clipFactor(Workers&, const ClipFactorArguments& a) {
  const double norm = __builtin_sqrt(*a.sumSquares);
  *a.norm = static_cast<float>(norm);
  *a.out = norm > a.maxNorm ? static_cast<float>(a.maxNorm / norm) : 1.0f;
}

void adamW(Workers& workers, const AdamWArguments& a) {
  const double step = static_cast<double>(a.step);
  const double firstCorrection = 1 - __builtin_pow(a.beta1, step);
  const double secondCorrection = 1 - __builtin_pow(a.beta2, step);
  const AdamWFactors factors{
      a.gradientFactor == nullptr ? 1.0f : *a.gradientFactor,
      static_cast<float>(1 - a.learningRate * a.weightDecay),
      static_cast<float>(1 - a.beta1),
      static_cast<float>(a.beta2),
      static_cast<float>(1 - a.beta2),
      static_cast<float>(a.learningRate / firstCorrection),
      static_cast<float>(1 / __builtin_sqrt(secondCorrection)),
      static_cast<float>(a.eps),
  };
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    adamWRange(a.parameter + first, a.gradient + first, a.m + first, a.v + first, last - first,
               factors);
  });
}

}  // namespace libra::cpu::LIBRA_SET
