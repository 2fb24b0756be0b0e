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
  const float keepWeight = static_cast<float>(1 - a.learningRate * a.weightDecay);
  const float firstShare = static_cast<float>(1 - a.beta1);
  const float beta2 = static_cast<float>(a.beta2);
  const float secondShare = static_cast<float>(1 - a.beta2);
  const float rate = static_cast<float>(a.learningRate / firstCorrection);
  const float rootCorrection = static_cast<float>(1 / __builtin_sqrt(secondCorrection));
  const float eps = static_cast<float>(a.eps);
  const float factor = a.gradientFactor == nullptr ? 1.0f : *a.gradientFactor;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    float* __restrict parameter = a.parameter;
    const float* __restrict gradient = a.gradient;
    float* __restrict m = a.m;
    float* __restrict v = a.v;
    for (int64_t i = first; i < last; ++i) {
      const float g = gradient[i] * factor;
      m[i] += (g - m[i]) * firstShare;
      v[i] = v[i] * beta2 + g * g * secondShare;
      const float spread = __builtin_sqrtf(v[i]) * rootCorrection + eps;
      parameter[i] = parameter[i] * keepWeight - rate * m[i] / spread;
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
