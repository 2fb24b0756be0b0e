// SwiGLU: out = gate · sigmoid(gate) · up.
#include "exponential.h"
#include "kernel-list.h"
#include "map.h"
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

template <class Element>
void gateElements(Workers& workers, const SwigluOf<Element>& a) {
  const bool passing = passes(a.out, a.count) && a.out != a.gate && a.out != a.up;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapElements(first, last, passing, [&](auto place) LIBRA_LAMBDA {
      place.write(a.out, forward(place.read(a.gate), place.read(a.up)));
    });
  });
}

template <class Element>
void gateElementsBackward(Workers& workers, const SwigluBackwardOf<Element>& a) {
  const bool inPlace = a.dGate == a.gate || a.dGate == a.up || a.dGate == a.dOut ||
                       a.dUp == a.gate || a.dUp == a.up || a.dUp == a.dOut;
  const bool passing = passes(a.dGate, a.count) && passes(a.dUp, a.count) && !inPlace;
  forRanges(workers, a.count, taskElements, [&](int64_t first, int64_t last) {
    mapElements(first, last, passing, [&](auto place) LIBRA_LAMBDA {
      const Gradients gradients =
          backward(place.read(a.dOut), place.read(a.gate), place.read(a.up));
      place.write(a.dGate, gradients.gate);
      place.write(a.dUp, gradients.up);
    });
  });
}

}  // namespace

void swiglu(Workers& workers, const SwigluArguments& a) { gateElements(workers, a); }
void swigluBfloat16(Workers& workers, const SwigluBfloat16Arguments& a) {
  gateElements(workers, a);
}

void swigluBackward(Workers& workers, const SwigluBackwardArguments& a) {
  gateElementsBackward(workers, a);
}
void swigluBackwardBfloat16(Workers& workers, const SwigluBackwardBfloat16Arguments& a) {
  gateElementsBackward(workers, a);
}

}  // namespace libra::cpu::LIBRA_SET
