// Element-wise operators, norms and AdamW.
#include <cmath>

#include "typed.h"

namespace conformance {
namespace {

template <class Element>
struct AddCase : Case {
  const int64_t count;
  TensorOf<Element> a, b, out;
  explicit AddCase(int64_t count)
      : Case(named<Element>("add"), describe(field("count", count))),
        count(count),
        a(count),
        b(count),
        out(count) {
    fill(random, a);
    fill(random, b);
    output(out.wide(), "out", toleranceOf<Element>(1e-7));
    bytes = 3.0 * sizeof(Element) * count;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.add, k.addBfloat16)(w, {a.data(), b.data(), out.data(), count});
    out.gather();
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) e[0].values[i] = static_cast<double>(a[i]) + b[i];
  }
};

struct ScaleCase : Case {
  const int64_t count;
  const bool byTensor;
  Buffer x, factor, out;
  ScaleCase(int64_t count, bool byTensor)
      : Case("scale", describe(field("count", count), field("byTensor", byTensor))),
        count(count),
        byTensor(byTensor),
        x(count),
        factor(1, 0.75f),
        out(count) {
    random.fill(x);
    output(out, "out", 1e-7);
    bytes = 8.0 * count;
  }
  void run(const Kernels& k, Workers& w) override {
    k.scale(w, {.x = x.data(),
                .out = out.data(),
                .count = count,
                .factor = byTensor ? 1.0f : 0.75f,
                .factorTensor = byTensor ? factor.data() : nullptr});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) e[0].values[i] = 0.75 * x[i];
  }
};

template <class Element>
struct FillCopyCase : Case {
  const int64_t count;
  TensorOf<Element> x, filled, copied;
  explicit FillCopyCase(int64_t count)
      : Case(named<Element>("fill and copy"), describe(field("count", count))),
        count(count),
        x(count),
        filled(count),
        copied(count) {
    fill(random, x);
    output(filled.wide(), "filled", 0);
    output(copied.wide(), "copied", 0);
    bytes = 3.0 * sizeof(Element) * count;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.fill, k.fillBfloat16)(w, {filled.data(), count, 1.5f});
    k.copy(w, {x.data(), copied.data(), count * static_cast<int64_t>(sizeof(Element))});
    filled.gather();
    copied.gather();
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) {
      e[0].values[i] = 1.5;
      e[1].values[i] = x[i];
    }
  }
};

/// sumSquares, then clipFactor; the double result is checked through a float copy.
struct NormCase : Case {
  const int64_t count;
  Buffer x, squares, factor, norm;
  explicit NormCase(int64_t count)
      : Case("sumSquares and clipFactor", describe(field("count", count))),
        count(count),
        x(count),
        squares(1),
        factor(1),
        norm(1) {
    random.fill(x);
    output(squares, "sumSquares", 1e-7);
    output(factor, "factor", 1e-7);
    output(norm, "norm", 1e-7);
    bytes = 4.0 * count;
  }
  void run(const Kernels& k, Workers& w) override {
    double sum = 0.5;
    k.sumSquares(w, {x.data(), &sum, count, true});
    squares[0] = static_cast<float>(sum);
    k.clipFactor(w, {&sum, 1.25f, factor.data(), norm.data()});
  }
  void reference(std::vector<Expected>& e) override {
    double sum = 0.5;
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
    e[0].values[0] = sum;
    e[1].values[0] = std::min(1.0, 1.25 / std::sqrt(sum));
    e[2].values[0] = std::sqrt(sum);
  }
};

struct AdamWCase : Case {
  const int64_t count, step;
  Buffer parameter, gradient, m, v, parameterBefore, mBefore, vBefore, factor;
  AdamWCase(int64_t count, int64_t step)
      : Case("adamW", describe(field("count", count), field("step", step))),
        count(count),
        step(step),
        parameter(count),
        gradient(count),
        m(count),
        v(count),
        parameterBefore(count),
        mBefore(count),
        vBefore(count),
        factor(1, 0.5f) {
    random.fill(parameterBefore);
    random.fill(gradient);
    if (step > 1) {
      random.fill(mBefore, 0.1);
      random.fill(vBefore, 0.1);
      for (int64_t i = 0; i < count; ++i) vBefore[i] = std::fabs(vBefore[i]);
    }
    output(parameter, "parameter", 1e-6);
    output(m, "m", 1e-6);
    output(v, "v", 1e-6);
    bytes = 28.0 * count;
  }
  void prepare() override {
    parameter = parameterBefore;
    m = mBefore;
    v = vBefore;
  }
  void run(const Kernels& k, Workers& w) override {
    k.adamW(w, {parameter.data(), gradient.data(), m.data(), v.data(), count, 1e-3, 0.9, 0.95, 1e-8,
                0.1, step, factor.data()});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) {
      const double g = 0.5 * gradient[i];
      const double first = 0.9 * mBefore[i] + 0.1 * g;
      const double second = 0.95 * vBefore[i] + 0.05 * g * g;
      const double spread =
          std::sqrt(second / (1 - std::pow(0.95, static_cast<double>(step)))) + 1e-8;
      e[0].values[i] = parameterBefore[i] * (1 - 1e-4) -
                       1e-3 * first / (1 - std::pow(0.9, static_cast<double>(step))) / spread;
      e[1].values[i] = first;
      e[2].values[i] = second;
    }
  }
};

}  // namespace

void addOptimizerCases(CaseList& list) {
  for (const int64_t count : {0, 1, 17, 1000, 70000}) {
    addCase<AddCase<float>>(list, count);
    addCase<AddCase<Bfloat16>>(list, count);
    addCase<ScaleCase>(list, count, false);
    addCase<ScaleCase>(list, count, true);
    addCase<FillCopyCase<float>>(list, count);
    addCase<FillCopyCase<Bfloat16>>(list, count);
    addCase<NormCase>(list, count);
    addCase<AdamWCase>(list, count, int64_t{1});
    addCase<AdamWCase>(list, count, int64_t{7});
  }
  // Results above 32 MiB pass the caches by.
  addCase<AddCase<float>>(list, Size::wide, int64_t{8400003});
  addCase<AddCase<Bfloat16>>(list, Size::wide, int64_t{16800003});
  addCase<ScaleCase>(list, Size::wide, int64_t{8400003}, false);
  addCase<FillCopyCase<float>>(list, Size::wide, int64_t{8400003});
  const int64_t many = int64_t{1} << 24;
  addCase<AddCase<float>>(list, Size::large, many);
  addCase<FillCopyCase<float>>(list, Size::large, many);
  addCase<NormCase>(list, Size::large, many);
  addCase<AdamWCase>(list, Size::large, many, int64_t{7});
}

}  // namespace conformance
