// Errors against float64 are at most twice those of a plain implementation in the same precision:
// sums in sequence, std::exp, the whole row of weights at once.
#include "accuracy.h"

#include "case.h"

namespace conformance {
namespace {

void checkLinear(const Kernels& kernels, Workers& workers, Checks& checks) {
  const int64_t tokens = 20, in = 3000, outputs = 50;
  Buffer x(tokens * in), weight(outputs * in), own(tokens * outputs), plain(tokens * outputs);
  Random random(12);
  random.fill(x);
  random.fill(weight);
  kernels.linear(workers, {.x = x.data(),
                           .weight = weight.data(),
                           .out = own.data(),
                           .rows = tokens,
                           .in = in,
                           .outputs = outputs});
  std::vector<double> exact(tokens * outputs);
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t n = 0; n < outputs; ++n) {
      plain[t * outputs + n] = plainDot(x.data() + t * in, weight.data() + n * in, in);
      for (int64_t i = 0; i < in; ++i) {
        exact[t * outputs + n] += static_cast<double>(x[t * in + i]) * weight[n * in + i];
      }
    }
  }
  compareErrors(checks, "linear", own, plain, exact);
}

}  // namespace

int checkAccuracy(const Kernels& kernels, Workers& workers) {
  Checks checks(kernels.instructionSet);
  checkAttentionAccuracy(kernels, workers, checks);
  checkLinear(kernels, workers, checks);
  return checks.failures();
}

}  // namespace conformance
