// Linear layers and their gradients.
#include "case.h"

namespace conformance {
namespace {

struct LinearShape {
  int64_t rows, in, outputs;
  bool adds;  // a residual forward, accumulation backward
};

std::string text(const LinearShape& s) {
  return describe(field("rows", s.rows), field("in", s.in), field("outputs", s.outputs),
                  field("adds", s.adds));
}

struct LinearCase : Case {
  const LinearShape s;
  Buffer x, weight, residual, out;

  explicit LinearCase(LinearShape shape)
      : Case("linear", text(shape)),
        s(shape),
        x(s.rows * s.in),
        weight(s.outputs * s.in),
        residual(s.rows * s.outputs),
        out(s.rows * s.outputs) {
    random.fill(x);
    random.fill(weight);
    random.fill(residual);
    output(out, "out", 3e-6);
    flops = 2.0 * s.rows * s.in * s.outputs;
  }
  void run(const Kernels& k, Workers& w) override {
    k.linear(w, {.x = x.data(),
                 .weight = weight.data(),
                 .residual = s.adds ? residual.data() : nullptr,
                 .out = out.data(),
                 .rows = s.rows,
                 .in = s.in,
                 .outputs = s.outputs});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t t = 0; t < s.rows; ++t) {
      for (int64_t n = 0; n < s.outputs; ++n) {
        double sum = s.adds ? residual[t * s.outputs + n] : 0;
        for (int64_t i = 0; i < s.in; ++i) {
          sum += static_cast<double>(x[t * s.in + i]) * weight[n * s.in + i];
        }
        e[0].values[t * s.outputs + n] = sum;
      }
    }
  }
};

/// Both gradients: dx and dWeight.
struct LinearBackwardCase : Case {
  const LinearShape s;
  Buffer x, weight, dOut, dx, dWeight, dxBefore, dWeightBefore;
  std::vector<double> xVariable, weightVariable;

  explicit LinearBackwardCase(LinearShape shape)
      : Case("linearBackward", text(shape)),
        s(shape),
        x(s.rows * s.in),
        weight(s.outputs * s.in),
        dOut(s.rows * s.outputs),
        dx(x.size()),
        dWeight(weight.size()),
        dxBefore(x.size()),
        dWeightBefore(weight.size()) {
    random.fill(x);
    random.fill(weight);
    random.fill(dOut);
    if (s.adds) {
      random.fill(dxBefore);
      random.fill(dWeightBefore);
    }
    output(dx, "dx", 3e-6);
    output(dWeight, "dWeight", 3e-6);
    xVariable = x.widened();
    weightVariable = weight.widened();
    flops = 4.0 * s.rows * s.in * s.outputs;
  }
  void prepare() override {
    if (!s.adds) return;
    dx = dxBefore;
    dWeight = dWeightBefore;
  }
  void run(const Kernels& k, Workers& w) override {
    k.linearBackwardInput(w,
                          {dOut.data(), weight.data(), dx.data(), s.rows, s.in, s.outputs, s.adds});
    k.linearBackwardWeight(
        w, {dOut.data(), x.data(), dWeight.data(), s.rows, s.in, s.outputs, s.adds});
  }
  void reference(std::vector<Expected>& e) override {
    e[0].values = dxBefore.widened();
    e[1].values = dWeightBefore.widened();
    for (int64_t t = 0; t < s.rows; ++t) {
      for (int64_t n = 0; n < s.outputs; ++n) {
        const double g = dOut[t * s.outputs + n];
        for (int64_t i = 0; i < s.in; ++i) {
          e[0].values[t * s.in + i] += g * weight[n * s.in + i];
          e[1].values[n * s.in + i] += g * x[t * s.in + i];
        }
      }
    }
  }
  double loss() override {
    double sum = 0;
    for (int64_t t = 0; t < s.rows; ++t) {
      for (int64_t n = 0; n < s.outputs; ++n) {
        double y = 0;
        for (int64_t i = 0; i < s.in; ++i) {
          y += xVariable[t * s.in + i] * weightVariable[n * s.in + i];
        }
        sum += y * dOut[t * s.outputs + n];
      }
    }
    return sum;
  }
  std::vector<Slope> slopes() override {
    if (s.adds) return {};
    return {{"dx", &xVariable, &dx}, {"dWeight", &weightVariable, &dWeight}};
  }
};

}  // namespace

void addLinearCases(CaseList& list) {
  const LinearShape shapes[] = {{1, 1, 1, false},    {3, 5, 7, true},     {8, 48, 48, false},
                                {9, 17, 49, false},  {100, 65, 33, true}, {97, 520, 100, false},
                                {5, 1030, 16, true}, {0, 4, 4, false},    {4, 0, 4, true}};
  for (const LinearShape& shape : shapes) {
    addCase<LinearCase>(list, shape);
    addCase<LinearBackwardCase>(list, shape);
  }
  addCase<LinearCase>(list, Size::large, LinearShape{2048, 1024, 1024, false});
  addCase<LinearBackwardCase>(list, Size::large, LinearShape{2048, 1024, 1024, false});
  addCase<LinearCase>(list, Size::large, LinearShape{2048, 4096, 4096, false});
  addCase<LinearBackwardCase>(list, Size::large, LinearShape{2048, 4096, 4096, false});
}

}  // namespace conformance
