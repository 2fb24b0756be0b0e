// Linear layers and their gradients.
#include "typed.h"

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

/// Out is Element, or float for a wide result of bfloat16 inputs.
template <class Element, class Out>
struct LinearCase : Case {
  const LinearShape s;
  TensorOf<Element> x, weight;
  TensorOf<Out> residual, out;

  explicit LinearCase(LinearShape shape)
      : Case(named<Element>("linear") + (narrow<Element> && !narrow<Out> ? "Wide" : ""),
             text(shape)),
        s(shape),
        x(s.rows * s.in),
        weight(s.outputs * s.in),
        residual(s.rows * s.outputs),
        out(s.rows * s.outputs) {
    fill(random, x);
    fill(random, weight);
    fill(random, residual);
    output(out.wide(), "out", toleranceOf<Out>(3e-6));
    flops = 2.0 * s.rows * s.in * s.outputs;
  }
  void run(const Kernels& k, Workers& w) override {
    const libra::LinearOf<Element, Out> arguments{.x = x.data(),
                                                  .weight = weight.data(),
                                                  .residual = s.adds ? residual.data() : nullptr,
                                                  .out = out.data(),
                                                  .rows = s.rows,
                                                  .in = s.in,
                                                  .outputs = s.outputs};
    if constexpr (narrow<Out>) {
      k.linearBfloat16(w, arguments);
    } else if constexpr (narrow<Element>) {
      k.linearBfloat16Wide(w, arguments);
    } else {
      k.linear(w, arguments);
    }
    out.gather();
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
template <class Element>
struct LinearBackwardCase : Case {
  const LinearShape s;
  TensorOf<Element> x, weight, dOut, dx, dxBefore;
  Buffer dWeight, dWeightBefore;
  std::vector<double> xVariable, weightVariable;

  explicit LinearBackwardCase(LinearShape shape)
      : Case(named<Element>("linearBackward"), text(shape)),
        s(shape),
        x(s.rows * s.in),
        weight(s.outputs * s.in),
        dOut(s.rows * s.outputs),
        dx(x.size()),
        dxBefore(x.size()),
        dWeight(weight.size()),
        dWeightBefore(weight.size()) {
    fill(random, x);
    fill(random, weight);
    fill(random, dOut);
    if (s.adds) {
      fill(random, dxBefore);
      random.fill(dWeightBefore);
    }
    output(dx.wide(), "dx", toleranceOf<Element>(3e-6));
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
    pick<Element>(k.linearBackwardInput, k.linearBackwardInputBfloat16)(
        w, {dOut.data(), weight.data(), dx.data(), s.rows, s.in, s.outputs, s.adds});
    pick<Element>(k.linearBackwardWeight, k.linearBackwardWeightBfloat16)(
        w, {dOut.data(), x.data(), dWeight.data(), s.rows, s.in, s.outputs, s.adds});
    dx.gather();
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
    if (narrow<Element> || s.adds) return {};
    return {{"dx", &xVariable, &dx.wide()}, {"dWeight", &weightVariable, &dWeight}};
  }
};

}  // namespace

void addLinearCases(CaseList& list) {
  const LinearShape shapes[] = {{1, 1, 1, false},    {3, 5, 7, true},     {8, 48, 48, false},
                                {9, 17, 49, false},  {100, 65, 33, true}, {97, 520, 100, false},
                                {5, 1030, 16, true}, {0, 4, 4, false},    {4, 0, 4, true}};
  for (const LinearShape& shape : shapes) {
    addCase<LinearCase<float, float>>(list, shape);
    addCase<LinearBackwardCase<float>>(list, shape);
    addCase<LinearCase<Bfloat16, Bfloat16>>(list, shape);
    addCase<LinearCase<Bfloat16, float>>(list, shape);
    addCase<LinearBackwardCase<Bfloat16>>(list, shape);
  }
  addCase<LinearCase<float, float>>(list, Size::large, LinearShape{2048, 1024, 1024, false});
  addCase<LinearBackwardCase<float>>(list, Size::large, LinearShape{2048, 1024, 1024, false});
  addCase<LinearCase<float, float>>(list, Size::large, LinearShape{2048, 4096, 4096, false});
  addCase<LinearBackwardCase<float>>(list, Size::large, LinearShape{2048, 4096, 4096, false});
}

}  // namespace conformance
