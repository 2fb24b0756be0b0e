// bfloat16 linear layers and SwiGLU: errors against float64 are at most twice those of a plain
// implementation that reads the same bfloat16, sums in float32 in sequence and rounds its result.
#include <algorithm>
#include <cmath>

#include "case.h"
#include "checks.h"
#include "typed.h"

namespace conformance {
namespace {

using Tensor = TensorOf<Bfloat16>;

float rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// Largest errors of the kernel and of the plain implementation, value by value.
class Errors {
 public:
  void add(double own, double plain, double exact) {
    own_ = std::max(own_, std::fabs(own - exact));
    plain_ = std::max(plain_, std::fabs(plain - exact));
  }
  void check(Checks& checks, const std::string& what) const {
    checks.holds(what + " is off by " + std::to_string(own_ * 1e6) +
                     "e-6, a plain implementation by " + std::to_string(plain_ * 1e6) + "e-6",
                 own_ <= 2 * plain_);
  }

 private:
  double own_ = 0, plain_ = 0;
};

/// Element (i, k) at values[i · stride + k · step].
struct Matrix {
  Tensor& values;
  int64_t stride, step;
};

void compareProduct(Checks& checks, const char* what, Matrix a, Matrix b, int64_t rows,
                    int64_t columns, int64_t depth, Buffer& own, bool rounds) {
  Errors errors;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float plain = 0;
      double exact = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const float x = a.values[i * a.stride + k * a.step];
        const float y = b.values[j * b.stride + k * b.step];
        plain += x * y;
        exact += static_cast<double>(x) * y;
      }
      errors.add(own[i * columns + j], rounds ? rounded(plain) : plain, exact);
    }
  }
  errors.check(checks, what);
}

void checkLinear(const Kernels& k, Workers& workers, Checks& checks) {
  const int64_t tokens = 40, in = 1500, outputs = 50;
  Random random(13);
  Tensor x(tokens * in), weight(outputs * in), out(tokens * outputs), dOut(tokens * outputs);
  Tensor dx(tokens * in);
  Buffer wide(tokens * outputs), dWeight(outputs * in);
  for (Tensor* tensor : {&x, &weight, &dOut}) fill(random, *tensor);
  k.linearBfloat16(workers, {.x = x.data(),
                             .weight = weight.data(),
                             .out = out.data(),
                             .rows = tokens,
                             .in = in,
                             .outputs = outputs});
  k.linearBfloat16Wide(workers, {.x = x.data(),
                                 .weight = weight.data(),
                                 .out = wide.data(),
                                 .rows = tokens,
                                 .in = in,
                                 .outputs = outputs});
  k.linearBackwardInputBfloat16(workers,
                                {dOut.data(), weight.data(), dx.data(), tokens, in, outputs});
  k.linearBackwardWeightBfloat16(workers,
                                 {dOut.data(), x.data(), dWeight.data(), tokens, in, outputs});
  out.gather();
  dx.gather();
  const Matrix rowsOfX{x, in, 1}, rowsOfWeight{weight, in, 1};
  compareProduct(checks, "linearBfloat16", rowsOfX, rowsOfWeight, tokens, outputs, in, out.wide(),
                 true);
  compareProduct(checks, "linearBfloat16Wide", rowsOfX, rowsOfWeight, tokens, outputs, in, wide,
                 false);
  compareProduct(checks, "linearBackwardInputBfloat16", {dOut, outputs, 1}, {weight, 1, in}, tokens,
                 in, outputs, dx.wide(), true);
  compareProduct(checks, "linearBackwardWeightBfloat16", {dOut, 1, outputs}, {x, 1, in}, outputs,
                 in, tokens, dWeight, false);
}

void checkSwiglu(const Kernels& k, Workers& workers, Checks& checks) {
  const int64_t count = 5000;
  Random random(14);
  Tensor dOut(count), gate(count), up(count), out(count), dGate(count), dUp(count);
  for (Tensor* tensor : {&dOut, &up}) fill(random, *tensor);
  fill(random, gate, 6);
  k.swigluBfloat16(workers, {gate.data(), up.data(), out.data(), count});
  k.swigluBackwardBfloat16(workers,
                           {dOut.data(), gate.data(), up.data(), dGate.data(), dUp.data(), count});
  for (Tensor* tensor : {&out, &dGate, &dUp}) tensor->gather();
  Errors forward, gateErrors, upErrors;
  for (int64_t i = 0; i < count; ++i) {
    const float g = gate[i], u = up[i], d = dOut[i];
    const float s = 1 / (1 + std::exp(-g));
    const double exact = 1 / (1 + std::exp(-static_cast<double>(g)));
    forward.add(out.wide()[i], rounded(g * s * u), g * exact * u);
    gateErrors.add(dGate.wide()[i], rounded(d * u * s * (1 + g * (1 - s))),
                   static_cast<double>(d) * u * exact * (1 + g * (1 - exact)));
    upErrors.add(dUp.wide()[i], rounded(d * g * s), static_cast<double>(d) * g * exact);
  }
  forward.check(checks, "swigluBfloat16");
  gateErrors.check(checks, "swigluBackwardBfloat16, dGate");
  upErrors.check(checks, "swigluBackwardBfloat16, dUp");
}

}  // namespace

int checkBfloat16Accuracy(const Kernels& kernels, Workers& workers) {
  Checks checks(kernels.instructionSet);
  checkLinear(kernels, workers, checks);
  checkSwiglu(kernels, workers, checks);
  return checks.failures();
}

}  // namespace conformance
