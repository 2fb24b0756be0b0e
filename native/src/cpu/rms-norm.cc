// RMSNorm over rows: out = (x · inverseRms) · weight; dx = inverseRms · (h − x · mean(h · x) ·
// inverseRms²) with h = dOut · weight.
#include "kernel-list.h"
#include "ranges.h"
#include "reduce.h"
#include "scratch.h"

namespace libra::cpu::LIBRA_SET {
namespace {

/// Rows whose share of dWeight is one chain.
constexpr int64_t chainRows = 128;

void gradientRow(const RmsNormBackwardArguments& a, int64_t row, float* weightSums) {
  const float* dOut = a.dOut + row * a.width;
  const float* x = a.x + row * a.width;
  float* dx = a.dx + row * a.width;
  const float inverse = a.inverseRms[row];
  const float projection = sumRow(
      a.width,
      [&](int64_t i) LIBRA_LAMBDA { return load(dOut + i) * load(a.weight + i) * load(x + i); },
      [&](int64_t i) LIBRA_LAMBDA { return dOut[i] * a.weight[i] * x[i]; });
  const float factor = projection * inverse * inverse / static_cast<float>(a.width);
  for (int64_t i = 0; i < a.width; ++i) weightSums[i] += dOut[i] * (x[i] * inverse);
  if (a.accumulate) {
    for (int64_t i = 0; i < a.width; ++i) {
      dx[i] += (dOut[i] * a.weight[i] - x[i] * factor) * inverse;
    }
  } else {
    for (int64_t i = 0; i < a.width; ++i) {
      dx[i] = (dOut[i] * a.weight[i] - x[i] * factor) * inverse;
    }
  }
}

}  // namespace

void rmsNorm(Workers& workers, const RmsNormArguments& a) {
  forRanges(workers, a.rows, rowsOfTask(a.width), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const float* x = a.x + row * a.width;
      float* out = a.out + row * a.width;
      const float mean = dotRow(x, x, a.width) / static_cast<float>(a.width);
      const float inverse = 1 / __builtin_sqrtf(mean + a.eps);
      a.inverseRms[row] = inverse;
      for (int64_t i = 0; i < a.width; ++i) out[i] = x[i] * inverse * a.weight[i];
    }
  });
}

void rmsNormBackward(Workers& workers, const RmsNormBackwardArguments& a) {
  ScratchFrame frame;
  const int64_t chains = (a.rows + chainRows - 1) / chainRows;
  float* sums = frame.floats(chains * a.width);
  forRanges(workers, a.rows, chainRows, [&](int64_t first, int64_t last) {
    float* own = sums + first / chainRows * a.width;
    __builtin_memset(own, 0, sizeof(float) * a.width);
    for (int64_t row = first; row < last; ++row) gradientRow(a, row, own);
  });
  forRanges(workers, a.width, 512, [&](int64_t first, int64_t last) {
    double columns[512] = {};
    for (int64_t chain = 0; chain < chains; ++chain) {
      for (int64_t i = first; i < last; ++i) columns[i - first] += sums[chain * a.width + i];
    }
    for (int64_t i = first; i < last; ++i) {
      const double old = a.accumulateWeight ? a.dWeight[i] : 0;
      a.dWeight[i] = static_cast<float>(old + columns[i - first]);
    }
  });
}

}  // namespace libra::cpu::LIBRA_SET
