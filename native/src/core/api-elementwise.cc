// Element-wise operators and the optimizer behind libra.h.
#include "core/api-operators.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::guarded;
using libra::api::kernelFor;
using libra::api::Tensors;
using libra::api::withElement;

extern "C" {

libra_status libra_add(libra_stream* stream, libra_tensor a, libra_tensor b, libra_tensor out,
                       int64_t count, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const AddOf<Element> arguments{.a = t.elements<Element>(a, count, "a"),
                                     .b = t.elements<Element>(b, count, "b"),
                                     .out = t.elements<Element>(out, count, "out"),
                                     .count = count};
      enqueue(stream, "add", kernelFor<Element>(&Kernels::add, &Kernels::addBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_scale(libra_stream* stream, libra_tensor x, libra_tensor out, int64_t count,
                         double factor, libra_tensor factor_tensor) {
  return guarded([&] {
    Tensors t;
    const ScaleArguments arguments{.x = t.floats(x, count, "x"),
                                   .out = t.floats(out, count, "out"),
                                   .count = count,
                                   .factor = static_cast<float>(factor),
                                   .factorTensor = t.optionalFloats(factor_tensor, 1, "factor")};
    enqueue(stream, "scale", &Kernels::scale, t, arguments);
  });
}

libra_status libra_fill(libra_stream* stream, libra_tensor out, int64_t count, double value,
                        int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const FillOf<Element> arguments{.out = t.elements<Element>(out, count, "out"),
                                      .count = count,
                                      .value = static_cast<float>(value)};
      enqueue(stream, "fill", kernelFor<Element>(&Kernels::fill, &Kernels::fillBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_copy(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t bytes) {
  return guarded([&] {
    Tensors t;
    const CopyArguments arguments{
        .from = t.bytes(from, bytes, "from"), .to = t.bytes(to, bytes, "to"), .bytes = bytes};
    enqueue(stream, "copy", &Kernels::copy, t, arguments);
  });
}

libra_status libra_narrow(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t count) {
  return guarded([&] {
    Tensors t;
    const NarrowArguments arguments{.from = t.floats(from, count, "from"),
                                    .to = t.elements<Bfloat16>(to, count, "to"),
                                    .count = count};
    enqueue(stream, "narrow", &Kernels::narrow, t, arguments);
  });
}

libra_status libra_widen(libra_stream* stream, libra_tensor from, libra_tensor to, int64_t count) {
  return guarded([&] {
    Tensors t;
    const WidenArguments arguments{.from = t.elements<Bfloat16>(from, count, "from"),
                                   .to = t.floats(to, count, "to"),
                                   .count = count};
    enqueue(stream, "widen", &Kernels::widen, t, arguments);
  });
}

libra_status libra_sum_squares(libra_stream* stream, libra_tensor x, libra_tensor out,
                               int64_t count, int accumulate) {
  return guarded([&] {
    Tensors t;
    const SumSquaresArguments arguments{.x = t.floats(x, count, "x"),
                                        .out = t.doubles(out, 1, "out"),
                                        .count = count,
                                        .accumulate = accumulate != 0};
    enqueue(stream, "sumSquares", &Kernels::sumSquares, t, arguments);
  });
}

libra_status libra_clip_factor(libra_stream* stream, libra_tensor sum_squares, libra_tensor out,
                               libra_tensor norm, double max_norm) {
  return guarded([&] {
    Tensors t;
    const ClipFactorArguments arguments{.sumSquares = t.doubles(sum_squares, 1, "sumSquares"),
                                        .maxNorm = static_cast<float>(max_norm),
                                        .out = t.floats(out, 1, "out"),
                                        .norm = t.floats(norm, 1, "norm")};
    enqueue(stream, "clipFactor", &Kernels::clipFactor, t, arguments);
  });
}

libra_status libra_adam_w(libra_stream* stream, libra_tensor parameter, libra_tensor gradient,
                          libra_tensor m, libra_tensor v, libra_tensor gradient_factor,
                          int64_t count, double learning_rate, double beta1, double beta2,
                          double eps, double weight_decay, int64_t step) {
  return guarded([&] {
    Tensors t;
    const AdamWArguments arguments{
        .parameter = t.floats(parameter, count, "parameter"),
        .gradient = t.floats(gradient, count, "gradient"),
        .m = t.floats(m, count, "m"),
        .v = t.floats(v, count, "v"),
        .count = count,
        .learningRate = learning_rate,
        .beta1 = beta1,
        .beta2 = beta2,
        .eps = eps,
        .weightDecay = weight_decay,
        .step = step,
        .gradientFactor = t.optionalFloats(gradient_factor, 1, "gradientFactor")};
    enqueue(stream, "adamW", &Kernels::adamW, t, arguments);
  });
}

}  // extern "C"
