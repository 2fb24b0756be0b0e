// SwiGLU: out = gate · sigmoid(gate) · up.
#include "exponential.h"
#include "kernel-list.h"
#include "ranges.h"

namespace libra::cpu::LIBRA_SET {
namespace {

LIBRA_INLINE Floats sigmoid(Floats x) { return splat(1.0f) / (splat(1.0f) + exponential(-x)); }

LIBRA_INLINE Floats forward(Floats gate, Floats up) { return gate * sigmoid(gate) * up; }

struct Gradients {
  Floats gate;
  Floats up;
};

LIBRA_INLINE Gradients backward(Floats dOut, Floats gate, Floats up) {
  const Floats s = sigmoid(gate);
  const Floats silu = gate * s;
  // d silu / d gate = s + gate · s · (1 − s)
  return {dOut * up * (s + silu * (splat(1.0f) - s)), dOut * silu};
}

}  // namespace

void swiglu(Workers& workers, const SwigluArguments& a) {
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    int64_t i = first;
    for (; i + lanes <= last; i += lanes) {
      store(a.out + i, forward(load(a.gate + i), load(a.up + i)));
    }
    const int64_t rest = last - i;
    storeSome(a.out + i, forward(loadSome(a.gate + i, rest), loadSome(a.up + i, rest)), rest);
  });
}

void swigluBackward(Workers& workers, const SwigluBackwardArguments& a) {
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    int64_t i = first;
    for (; i + lanes <= last; i += lanes) {
      const Gradients g = backward(load(a.dOut + i), load(a.gate + i), load(a.up + i));
      store(a.dGate + i, g.gate);
      store(a.dUp + i, g.up);
    }
    const int64_t rest = last - i;
    const Gradients g =
        backward(loadSome(a.dOut + i, rest), loadSome(a.gate + i, rest), loadSome(a.up + i, rest));
    storeSome(a.dGate + i, g.gate, rest);
    storeSome(a.dUp + i, g.up, rest);
  });
}

}  // namespace libra::cpu::LIBRA_SET
