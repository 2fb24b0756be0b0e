// SwiGLU and its gradient.
#include <cmath>

#include "typed.h"

namespace conformance {
namespace {

double silu(double x) { return x / (1 + std::exp(-x)); }

template <class Element>
struct SwigluCase : Case {
  const int64_t count;
  TensorOf<Element> gate, up, out;
  explicit SwigluCase(int64_t count)
      : Case(named<Element>("swiglu"), describe(field("count", count))),
        count(count),
        gate(count),
        up(count),
        out(count) {
    fill(random, gate, 6);
    fill(random, up);
    output(out.wide(), "out", toleranceOf<Element>());
    bytes = 3.0 * sizeof(Element) * count;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.swiglu, k.swigluBfloat16)(w, {gate.data(), up.data(), out.data(), count});
    out.gather();
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) e[0].values[i] = silu(gate[i]) * up[i];
  }
};

template <class Element>
struct SwigluBackwardCase : Case {
  const int64_t count;
  TensorOf<Element> dOut, gate, up, dGate, dUp;
  std::vector<double> gateVariable, upVariable;
  explicit SwigluBackwardCase(int64_t count)
      : Case(named<Element>("swigluBackward"), describe(field("count", count))),
        count(count),
        dOut(count),
        gate(count),
        up(count),
        dGate(count),
        dUp(count) {
    fill(random, dOut);
    fill(random, gate, 6);
    fill(random, up);
    gateVariable = gate.widened();
    upVariable = up.widened();
    output(dGate.wide(), "dGate", toleranceOf<Element>());
    output(dUp.wide(), "dUp", toleranceOf<Element>());
    bytes = 5.0 * sizeof(Element) * count;
  }
  void run(const Kernels& k, Workers& w) override {
    pick<Element>(k.swigluBackward, k.swigluBackwardBfloat16)(
        w, {dOut.data(), gate.data(), up.data(), dGate.data(), dUp.data(), count});
    dGate.gather();
    dUp.gather();
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) {
      const double s = 1 / (1 + std::exp(-static_cast<double>(gate[i])));
      e[0].values[i] = static_cast<double>(dOut[i]) * up[i] * s * (1 + gate[i] * (1 - s));
      e[1].values[i] = dOut[i] * silu(gate[i]);
    }
  }
  double loss() override {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += silu(gateVariable[i]) * upVariable[i] * dOut[i];
    return sum;
  }
  std::vector<Slope> slopes() override {
    if (narrow<Element> || count > 2000) return {};  // each slope costs two sums over all elements
    return {{"dGate", &gateVariable, &dGate.wide()}, {"dUp", &upVariable, &dUp.wide()}};
  }
};

}  // namespace

void addSwigluCases(CaseList& list) {
  for (const int64_t count : {1, 15, 64, 1003, 33000}) {
    addCase<SwigluCase<float>>(list, count);
    addCase<SwigluCase<Bfloat16>>(list, count);
    addCase<SwigluBackwardCase<float>>(list, count);
    addCase<SwigluBackwardCase<Bfloat16>>(list, count);
  }
  addCase<SwigluCase<float>>(list, Size::wide, int64_t{8400003});
  addCase<SwigluBackwardCase<float>>(list, Size::wide, int64_t{8400003});
  addCase<SwigluBackwardCase<Bfloat16>>(list, Size::wide, int64_t{16800003});
  addCase<SwigluCase<float>>(list, Size::large, int64_t{1} << 25);
  addCase<SwigluBackwardCase<float>>(list, Size::large, int64_t{1} << 25);
}

}  // namespace conformance
