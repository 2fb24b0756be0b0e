// Operators of linear layers, norms, embeddings and the loss behind libra.h.
#include "core/api-operators.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::guarded;
using libra::api::Tensors;

extern "C" {

libra_status libra_linear(libra_stream* stream, libra_tensor x, libra_tensor weight,
                          libra_tensor residual, libra_tensor out, int64_t rows, int64_t in,
                          int64_t outputs) {
  return guarded([&] {
    Tensors t;
    const LinearArguments arguments{
        .x = t.floats(x, rows * in, "x"),
        .weight = t.floats(weight, outputs * in, "weight"),
        .residual = t.optionalFloats(residual, rows * outputs, "residual"),
        .out = t.floats(out, rows * outputs, "out"),
        .rows = rows,
        .in = in,
        .outputs = outputs};
    enqueue(stream, "linear", &Kernels::linear, t, arguments);
  });
}

libra_status libra_linear_backward_input(libra_stream* stream, libra_tensor d_out,
                                         libra_tensor weight, libra_tensor dx, int64_t rows,
                                         int64_t in, int64_t outputs, int accumulate) {
  return guarded([&] {
    Tensors t;
    const LinearBackwardInputArguments arguments{.dOut = t.floats(d_out, rows * outputs, "dOut"),
                                                 .weight = t.floats(weight, outputs * in, "weight"),
                                                 .dx = t.floats(dx, rows * in, "dx"),
                                                 .rows = rows,
                                                 .in = in,
                                                 .outputs = outputs,
                                                 .accumulate = accumulate != 0};
    enqueue(stream, "linearBackwardInput", &Kernels::linearBackwardInput, t, arguments);
  });
}

libra_status libra_linear_backward_weight(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                          libra_tensor d_weight, int64_t rows, int64_t in,
                                          int64_t outputs, int accumulate) {
  return guarded([&] {
    Tensors t;
    const LinearBackwardWeightArguments arguments{
        .dOut = t.floats(d_out, rows * outputs, "dOut"),
        .x = t.floats(x, rows * in, "x"),
        .dWeight = t.floats(d_weight, outputs * in, "dWeight"),
        .rows = rows,
        .in = in,
        .outputs = outputs,
        .accumulate = accumulate != 0};
    enqueue(stream, "linearBackwardWeight", &Kernels::linearBackwardWeight, t, arguments);
  });
}

libra_status libra_rms_norm(libra_stream* stream, libra_tensor x, libra_tensor weight,
                            libra_tensor out, libra_tensor inverse_rms, int64_t rows, int64_t width,
                            double eps) {
  return guarded([&] {
    Tensors t;
    const RmsNormArguments arguments{.x = t.floats(x, rows * width, "x"),
                                     .weight = t.floats(weight, width, "weight"),
                                     .out = t.floats(out, rows * width, "out"),
                                     .inverseRms = t.floats(inverse_rms, rows, "inverseRms"),
                                     .rows = rows,
                                     .width = width,
                                     .eps = static_cast<float>(eps)};
    enqueue(stream, "rmsNorm", &Kernels::rmsNorm, t, arguments);
  });
}

libra_status libra_rms_norm_backward(libra_stream* stream, libra_tensor d_out, libra_tensor x,
                                     libra_tensor weight, libra_tensor inverse_rms, libra_tensor dx,
                                     libra_tensor d_weight, int64_t rows, int64_t width,
                                     int accumulate, int accumulate_weight) {
  return guarded([&] {
    Tensors t;
    const RmsNormBackwardArguments arguments{
        .dOut = t.floats(d_out, rows * width, "dOut"),
        .x = t.floats(x, rows * width, "x"),
        .weight = t.floats(weight, width, "weight"),
        .inverseRms = t.floats(inverse_rms, rows, "inverseRms"),
        .dx = t.floats(dx, rows * width, "dx"),
        .dWeight = t.floats(d_weight, width, "dWeight"),
        .rows = rows,
        .width = width,
        .accumulate = accumulate != 0,
        .accumulateWeight = accumulate_weight != 0};
    enqueue(stream, "rmsNormBackward", &Kernels::rmsNormBackward, t, arguments);
  });
}

libra_status libra_rope(libra_stream* stream, libra_tensor x, libra_tensor positions,
                        libra_tensor out, int64_t tokens, int64_t heads, int64_t head_dim,
                        double theta, int inverse) {
  return guarded([&] {
    Tensors t;
    const int64_t elements = tokens * heads * head_dim;
    const RopeArguments arguments{.x = t.floats(x, elements, "x"),
                                  .positions = t.integers(positions, tokens, "positions"),
                                  .out = t.floats(out, elements, "out"),
                                  .tokens = tokens,
                                  .heads = heads,
                                  .headDim = head_dim,
                                  .theta = theta,
                                  .inverse = inverse != 0};
    enqueue(stream, "rope", &Kernels::rope, t, arguments);
  });
}

libra_status libra_swiglu(libra_stream* stream, libra_tensor gate, libra_tensor up,
                          libra_tensor out, int64_t count) {
  return guarded([&] {
    Tensors t;
    const SwigluArguments arguments{.gate = t.floats(gate, count, "gate"),
                                    .up = t.floats(up, count, "up"),
                                    .out = t.floats(out, count, "out"),
                                    .count = count};
    enqueue(stream, "swiglu", &Kernels::swiglu, t, arguments);
  });
}

libra_status libra_swiglu_backward(libra_stream* stream, libra_tensor d_out, libra_tensor gate,
                                   libra_tensor up, libra_tensor d_gate, libra_tensor d_up,
                                   int64_t count) {
  return guarded([&] {
    Tensors t;
    const SwigluBackwardArguments arguments{.dOut = t.floats(d_out, count, "dOut"),
                                            .gate = t.floats(gate, count, "gate"),
                                            .up = t.floats(up, count, "up"),
                                            .dGate = t.floats(d_gate, count, "dGate"),
                                            .dUp = t.floats(d_up, count, "dUp"),
                                            .count = count};
    enqueue(stream, "swigluBackward", &Kernels::swigluBackward, t, arguments);
  });
}

libra_status libra_embedding(libra_stream* stream, libra_tensor ids, libra_tensor table,
                             libra_tensor out, int64_t tokens, int64_t vocabulary, int64_t width) {
  return guarded([&] {
    Tensors t;
    const EmbeddingArguments arguments{.ids = t.integers(ids, tokens, "ids"),
                                       .table = t.floats(table, vocabulary * width, "table"),
                                       .out = t.floats(out, tokens * width, "out"),
                                       .tokens = tokens,
                                       .vocabulary = vocabulary,
                                       .width = width};
    enqueue(stream, "embedding", &Kernels::embedding, t, arguments);
  });
}

libra_status libra_embedding_backward(libra_stream* stream, libra_tensor ids, libra_tensor d_out,
                                      libra_tensor d_table, int64_t tokens, int64_t vocabulary,
                                      int64_t width, int accumulate) {
  return guarded([&] {
    Tensors t;
    const EmbeddingBackwardArguments arguments{
        .ids = t.integers(ids, tokens, "ids"),
        .dOut = t.floats(d_out, tokens * width, "dOut"),
        .dTable = t.floats(d_table, vocabulary * width, "dTable"),
        .tokens = tokens,
        .vocabulary = vocabulary,
        .width = width,
        .accumulate = accumulate != 0};
    enqueue(stream, "embeddingBackward", &Kernels::embeddingBackward, t, arguments);
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
