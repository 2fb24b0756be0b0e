// SwiGLU and its gradient.
#include <cmath>

#include "case.h"

namespace conformance {
namespace {

double silu(double x) { return x / (1 + std::exp(-x)); }

struct SwigluCase : Case {
  const int64_t count;
  Buffer gate, up, out;
  explicit SwigluCase(int64_t count)
      : Case("swiglu", describe(field("count", count))),
        count(count),
        gate(count),
        up(count),
        out(count) {
    random.fill(gate, 6);
    random.fill(up);
    output(out, "out");
    bytes = 12.0 * count;
  }
  void run(const Kernels& k, Workers& w) override {
    k.swiglu(w, {gate.data(), up.data(), out.data(), count});
  }
  void reference(std::vector<Expected>& e) override {
    for (int64_t i = 0; i < count; ++i) e[0].values[i] = silu(gate[i]) * up[i];
  }
};

struct SwigluBackwardCase : Case {
  const int64_t count;
  Buffer dOut, gate, up, dGate, dUp;
  std::vector<double> gateVariable, upVariable;
  explicit SwigluBackwardCase(int64_t count)
      : Case("swigluBackward", describe(field("count", count))),
        count(count),
        dOut(count),
        gate(count),
        up(count),
        dGate(count),
        dUp(count) {
    random.fill(dOut);
    random.fill(gate, 6);
    random.fill(up);
    gateVariable = gate.widened();
    upVariable = up.widened();
    output(dGate, "dGate");
    output(dUp, "dUp");
    bytes = 20.0 * count;
  }
  void run(const Kernels& k, Workers& w) override {
    k.swigluBackward(w, {dOut.data(), gate.data(), up.data(), dGate.data(), dUp.data(), count});
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
    if (count > 2000) return {};  // each slope costs two sums over all elements
    return {{"dGate", &gateVariable, &dGate}, {"dUp", &upVariable, &dUp}};
  }
};

}  // namespace

void addSwigluCases(CaseList& list) {
  for (const int64_t count : {1, 15, 64, 1003, 33000}) {
    addCase<SwigluCase>(list, count);
    addCase<SwigluBackwardCase>(list, count);
  }
  addCase<SwigluCase>(list, Size::wide, int64_t{8400003});
  addCase<SwigluBackwardCase>(list, Size::wide, int64_t{8400003});
  addCase<SwigluCase>(list, Size::large, int64_t{1} << 25);
  addCase<SwigluBackwardCase>(list, Size::large, int64_t{1} << 25);
}

}  // namespace conformance
