// Linear layers behind libra.h.
#include "core/api-operators.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::guarded;
using libra::api::kernelFor;
using libra::api::Tensors;
using libra::api::typeOf;
using libra::api::withElement;

extern "C" {

libra_status libra_linear(libra_stream* stream, libra_tensor x, libra_tensor weight,
                          libra_tensor residual, libra_tensor out, int64_t rows, int64_t in,
                          int64_t outputs, int type, int out_type) {
  return guarded([&] {
    const auto call = [&](auto element, auto result, auto kernel) {
      using Element = decltype(element);
      using Out = decltype(result);
      Tensors t;
      const LinearOf<Element, Out> arguments{
          .x = t.elements<Element>(x, rows * in, "x"),
          .weight = t.elements<Element>(weight, outputs * in, "weight"),
          .residual = t.optionalElements<Out>(residual, rows * outputs, "residual"),
          .out = t.elements<Out>(out, rows * outputs, "out"),
          .rows = rows,
          .in = in,
          .outputs = outputs};
      enqueue(stream, "linear", kernel, t, arguments);
    };
    if (type == LIBRA_BFLOAT16 && out_type == LIBRA_FLOAT32) {
      if (residual.storage != nullptr) {
        throw Error("ARGUMENT", "Expected no residual with a float32 out of a bfloat16 x");
      }
      return call(Bfloat16{}, float{}, &Kernels::linearBfloat16Wide);
    }
    if (type != out_type) {
      throw Error("ARGUMENT", std::string("Expected ") + nameOf(typeOf(type)) +
                                  " for out_type but received " + nameOf(typeOf(out_type)));
    }
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      call(element, element, kernelFor<Element>(&Kernels::linear, &Kernels::linearBfloat16));
    });
  });
}

libra_status libra_linear_backward_input(libra_stream* stream, libra_tensor d_out,
                                         libra_tensor weight, libra_tensor dx, int64_t rows,
                                         int64_t in, int64_t outputs, int accumulate, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const LinearBackwardInputOf<Element> arguments{
          .dOut = t.elements<Element>(d_out, rows * outputs, "dOut"),
          .weight = t.elements<Element>(weight, outputs * in, "weight"),
          .dx = t.elements<Element>(dx, rows * in, "dx"),
          .rows = rows,
          .in = in,
          .outputs = outputs,
          .accumulate = accumulate != 0};
      enqueue(
          stream, "linearBackwardInput",
          kernelFor<Element>(&Kernels::linearBackwardInput, &Kernels::linearBackwardInputBfloat16),
          t, arguments);
    });
  });
}

libra_status libra_linear_backward_weight(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                          libra_tensor d_weight, int64_t rows, int64_t in,
                                          int64_t outputs, int accumulate, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const LinearBackwardWeightOf<Element> arguments{
          .dOut = t.elements<Element>(d_out, rows * outputs, "dOut"),
          .x = t.elements<Element>(x, rows * in, "x"),
          .dWeight = t.floats(d_weight, outputs * in, "dWeight"),
          .rows = rows,
          .in = in,
          .outputs = outputs,
          .accumulate = accumulate != 0};
      enqueue(stream, "linearBackwardWeight",
              kernelFor<Element>(&Kernels::linearBackwardWeight,
                                 &Kernels::linearBackwardWeightBfloat16),
              t, arguments);
    });
  });
}

}  // extern "C"
