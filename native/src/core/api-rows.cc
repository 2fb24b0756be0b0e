// Operators on rows (norms, embeddings, the loss, …) behind libra.h.
#include "core/api-operators.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::guarded;
using libra::api::kernelFor;
using libra::api::Tensors;
using libra::api::withElement;

extern "C" {

libra_status libra_rms_norm(libra_stream* stream, libra_tensor x, libra_tensor weight,
                            libra_tensor out, libra_tensor inverse_rms, int64_t rows, int64_t width,
                            double eps, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const RmsNormOf<Element> arguments{.x = t.elements<Element>(x, rows * width, "x"),
                                         .weight = t.floats(weight, width, "weight"),
                                         .out = t.elements<Element>(out, rows * width, "out"),
                                         .inverseRms = t.floats(inverse_rms, rows, "inverseRms"),
                                         .rows = rows,
                                         .width = width,
                                         .eps = static_cast<float>(eps)};
      enqueue(stream, "rmsNorm", kernelFor<Element>(&Kernels::rmsNorm, &Kernels::rmsNormBfloat16),
              t, arguments);
    });
  });
}

libra_status libra_rms_norm_backward(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                     libra_tensor weight, libra_tensor inverse_rms, libra_tensor dx,
                                     libra_tensor d_weight, int64_t rows, int64_t width,
                                     int accumulate, int accumulate_weight, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const RmsNormBackwardOf<Element> arguments{
          .dOut = t.elements<Element>(d_out, rows * width, "dOut"),
          .x = t.elements<Element>(x, rows * width, "x"),
          .weight = t.floats(weight, width, "weight"),
          .inverseRms = t.floats(inverse_rms, rows, "inverseRms"),
          .dx = t.elements<Element>(dx, rows * width, "dx"),
          .dWeight = t.floats(d_weight, width, "dWeight"),
          .rows = rows,
          .width = width,
          .accumulate = accumulate != 0,
          .accumulateWeight = accumulate_weight != 0};
      enqueue(stream, "rmsNormBackward",
              kernelFor<Element>(&Kernels::rmsNormBackward, &Kernels::rmsNormBackwardBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_rope(libra_stream* stream, libra_tensor x, libra_tensor positions,
                        libra_tensor out, int64_t tokens, int64_t heads, int64_t head_dim,
                        double theta, int inverse, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const int64_t elements = tokens * heads * head_dim;
      const RopeOf<Element> arguments{.x = t.elements<Element>(x, elements, "x"),
                                      .positions = t.integers(positions, tokens, "positions"),
                                      .out = t.elements<Element>(out, elements, "out"),
                                      .tokens = tokens,
                                      .heads = heads,
                                      .headDim = head_dim,
                                      .theta = theta,
                                      .inverse = inverse != 0};
      enqueue(stream, "rope", kernelFor<Element>(&Kernels::rope, &Kernels::ropeBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_swiglu(libra_stream* stream, libra_tensor gate, libra_tensor up,
                          libra_tensor out, int64_t count, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const SwigluOf<Element> arguments{.gate = t.elements<Element>(gate, count, "gate"),
                                        .up = t.elements<Element>(up, count, "up"),
                                        .out = t.elements<Element>(out, count, "out"),
                                        .count = count};
      enqueue(stream, "swiglu", kernelFor<Element>(&Kernels::swiglu, &Kernels::swigluBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_swiglu_backward(libra_stream* stream, libra_tensor d_out, libra_tensor gate,
                                   libra_tensor up, libra_tensor d_gate, libra_tensor d_up,
                                   int64_t count, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const SwigluBackwardOf<Element> arguments{
          .dOut = t.elements<Element>(d_out, count, "dOut"),
          .gate = t.elements<Element>(gate, count, "gate"),
          .up = t.elements<Element>(up, count, "up"),
          .dGate = t.elements<Element>(d_gate, count, "dGate"),
          .dUp = t.elements<Element>(d_up, count, "dUp"),
          .count = count};
      enqueue(stream, "swigluBackward",
              kernelFor<Element>(&Kernels::swigluBackward, &Kernels::swigluBackwardBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_embedding(libra_stream* stream, libra_tensor ids, libra_tensor table,
                             libra_tensor out, int64_t tokens, int64_t vocabulary, int64_t width,
                             int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const EmbeddingOf<Element> arguments{
          .ids = t.integers(ids, tokens, "ids"),
          .table = t.elements<Element>(table, vocabulary * width, "table"),
          .out = t.elements<Element>(out, tokens * width, "out"),
          .tokens = tokens,
          .vocabulary = vocabulary,
          .width = width};
      enqueue(stream, "embedding",
              kernelFor<Element>(&Kernels::embedding, &Kernels::embeddingBfloat16), t, arguments);
    });
  });
}

libra_status libra_embedding_backward(libra_stream* stream, libra_tensor ids, libra_tensor d_out,
                                      libra_tensor d_table, int64_t tokens, int64_t vocabulary,
                                      int64_t width, int accumulate, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const EmbeddingBackwardOf<Element> arguments{
          .ids = t.integers(ids, tokens, "ids"),
          .dOut = t.elements<Element>(d_out, tokens * width, "dOut"),
          .dTable = t.floats(d_table, vocabulary * width, "dTable"),
          .tokens = tokens,
          .vocabulary = vocabulary,
          .width = width,
          .accumulate = accumulate != 0};
      enqueue(stream, "embeddingBackward",
              kernelFor<Element>(&Kernels::embeddingBackward, &Kernels::embeddingBackwardBfloat16),
              t, arguments);
    });
  });
}

libra_status libra_cross_entropy(libra_stream* stream, libra_tensor logits, libra_tensor targets,
                                 libra_tensor sums, libra_tensor log_sum_exp, int64_t rows,
                                 int64_t vocabulary, int accumulate) {
  return guarded([&] {
    Tensors t;
    const CrossEntropyArguments arguments{.logits = t.floats(logits, rows * vocabulary, "logits"),
                                          .targets = t.integers(targets, rows, "targets"),
                                          .sums = t.doubles(sums, 2, "sums"),
                                          .logSumExp = t.floats(log_sum_exp, rows, "logSumExp"),
                                          .rows = rows,
                                          .vocabulary = vocabulary,
                                          .accumulate = accumulate != 0};
    enqueue(stream, "crossEntropy", &Kernels::crossEntropy, t, arguments);
  });
}

libra_status libra_cross_entropy_backward(libra_stream* stream, libra_tensor logits,
                                          libra_tensor targets, libra_tensor log_sum_exp,
                                          libra_tensor d_logits, int64_t rows, int64_t vocabulary,
                                          double scale) {
  return guarded([&] {
    Tensors t;
    const CrossEntropyBackwardArguments arguments{
        .logits = t.floats(logits, rows * vocabulary, "logits"),
        .targets = t.integers(targets, rows, "targets"),
        .logSumExp = t.floats(log_sum_exp, rows, "logSumExp"),
        .dLogits = t.floats(d_logits, rows * vocabulary, "dLogits"),
        .rows = rows,
        .vocabulary = vocabulary,
        .scale = static_cast<float>(scale)};
    enqueue(stream, "crossEntropyBackward", &Kernels::crossEntropyBackward, t, arguments);
  });
}

}  // extern "C"
