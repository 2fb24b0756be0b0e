// What accuracy checks of several operators share.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "buffer.h"
#include "checks.h"
#include "libra/kernels.h"

namespace conformance {

inline float plainDot(const float* a, const float* b, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

inline double worstError(const Buffer& actual, const std::vector<double>& expected) {
  double error = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    error = std::max(error, std::fabs(actual[i] - expected[i]));
  }
  return error;
}

/// The kernel's largest error is at most twice that of the plain implementation.
inline void compareErrors(Checks& checks, const std::string& what, const Buffer& own,
                          const Buffer& plain, const std::vector<double>& exact) {
  const double mine = worstError(own, exact), other = worstError(plain, exact);
  checks.holds(what + " is off by " + std::to_string(mine * 1e6) +
                   "e-6, a plain implementation by " + std::to_string(other * 1e6) + "e-6",
               mine <= 2 * other);
}

/// Attention's results and gradients, float32 and bfloat16.
void checkAttentionAccuracy(const libra::Kernels& kernels, libra::Workers& workers, Checks& checks);

}  // namespace conformance
