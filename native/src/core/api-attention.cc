// Attention and the exchange's vector operators behind libra.h.
#include <algorithm>

#include "core/api-operators.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::guarded;
using libra::api::kernelFor;
using libra::api::sameCount;
using libra::api::Tensors;
using libra::api::withElement;

namespace {

void refuseNegative(int64_t value, const char* name, int64_t entry) {
  if (value >= 0) return;
  throw Error("ARGUMENT", std::string("Expected at least 0 for ") + name + "[" +
                              std::to_string(entry) + "] but received " + std::to_string(value));
}

/// One past the last vector of `rows` groups of `width`; 0 for none.
int64_t extentOf(int64_t offset, int64_t rows, int64_t stride, int64_t width) {
  return rows == 0 || width == 0 ? 0 : offset + (rows - 1) * stride + width;
}

}  // namespace

extern "C" {

libra_status libra_segments_create(libra_column query_offset, libra_column query_stride,
                                   libra_column heads, libra_column rows, libra_column key_offset,
                                   libra_column key_stride, libra_column keys, libra_column causal,
                                   libra_segments** out) {
  return guarded([&] {
    const int64_t count = sameCount({{"queryOffset", &query_offset},
                                     {"queryStride", &query_stride},
                                     {"heads", &heads},
                                     {"rows", &rows},
                                     {"keyOffset", &key_offset},
                                     {"keyStride", &key_stride},
                                     {"keys", &keys},
                                     {"causal", &causal}});
    auto segments = std::make_shared<std::vector<AttentionSegment>>();
    int64_t queryExtent = 0, keyExtent = 0;
    for (int64_t i = 0; i < count; ++i) {
      const AttentionSegment segment{.queryOffset = query_offset.values[i],
                                     .queryStride = query_stride.values[i],
                                     .heads = heads.values[i],
                                     .rows = rows.values[i],
                                     .keyOffset = key_offset.values[i],
                                     .keyStride = key_stride.values[i],
                                     .keys = keys.values[i],
                                     .causal = causal.values[i] != 0};
      refuseNegative(segment.queryOffset, "queryOffset", i);
      refuseNegative(segment.queryStride, "queryStride", i);
      refuseNegative(segment.heads, "heads", i);
      refuseNegative(segment.rows, "rows", i);
      refuseNegative(segment.keyOffset, "keyOffset", i);
      refuseNegative(segment.keyStride, "keyStride", i);
      refuseNegative(segment.keys, "keys", i);
      queryExtent = std::max(queryExtent, extentOf(segment.queryOffset, segment.rows,
                                                   segment.queryStride, segment.heads));
      keyExtent =
          std::max(keyExtent, extentOf(segment.keyOffset, segment.keys, segment.keyStride, 1));
      segments->push_back(segment);
    }
    *out = new libra_segments{std::move(segments), queryExtent, keyExtent};
  });
}

void libra_segments_release(libra_segments* segments) { delete segments; }

libra_status libra_attention_forward(libra_stream* stream, libra_tensor q, libra_tensor k,
                                     libra_tensor v, libra_tensor out, libra_tensor log_sum_exp,
                                     libra_segments* segments, double scale, int64_t head_dim,
                                     int64_t value_dim, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const int64_t queries = segments->queryExtent, keys = segments->keyExtent;
      const AttentionForwardOf<Element> arguments{
          .q = t.elements<Element>(q, queries * head_dim, "q"),
          .k = t.elements<Element>(k, keys * head_dim, "k"),
          .v = t.elements<Element>(v, keys * value_dim, "v"),
          .out = t.elements<Element>(out, queries * value_dim, "out"),
          .logSumExp = t.floats(log_sum_exp, queries, "logSumExp"),
          .segments = segments->segments->data(),
          .segmentCount = static_cast<int64_t>(segments->segments->size()),
          .scale = static_cast<float>(scale),
          .headDim = head_dim,
          .valueDim = value_dim};
      t.hold(segments->segments);
      enqueue(stream, "attentionForward",
              kernelFor<Element>(&Kernels::attentionForward, &Kernels::attentionForwardBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_attention_backward(libra_stream* stream, libra_tensor q, libra_tensor k,
                                      libra_tensor v, libra_tensor d_out, libra_tensor log_sum_exp,
                                      libra_tensor delta, libra_tensor dq, libra_tensor dk,
                                      libra_tensor dv, libra_segments* segments, double scale,
                                      int64_t head_dim, int64_t value_dim, int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const int64_t queries = segments->queryExtent, keys = segments->keyExtent;
      const AttentionBackwardOf<Element> arguments{
          .q = t.elements<Element>(q, queries * head_dim, "q"),
          .k = t.elements<Element>(k, keys * head_dim, "k"),
          .v = t.elements<Element>(v, keys * value_dim, "v"),
          .dOut = t.elements<Element>(d_out, queries * value_dim, "dOut"),
          .logSumExp = t.floats(log_sum_exp, queries, "logSumExp"),
          .delta = t.floats(delta, queries, "delta"),
          .dq = t.floats(dq, queries * head_dim, "dq"),
          .dk = t.floats(dk, keys * head_dim, "dk"),
          .dv = t.floats(dv, keys * value_dim, "dv"),
          .segments = segments->segments->data(),
          .segmentCount = static_cast<int64_t>(segments->segments->size()),
          .scale = static_cast<float>(scale),
          .headDim = head_dim,
          .valueDim = value_dim};
      t.hold(segments->segments);
      enqueue(stream, "attentionBackward",
              kernelFor<Element>(&Kernels::attentionBackward, &Kernels::attentionBackwardBfloat16),
              t, arguments);
    });
  });
}

libra_status libra_attention_delta(libra_stream* stream, libra_tensor out, libra_tensor d_out,
                                   libra_tensor delta, int64_t vectors, int64_t value_dim,
                                   int type) {
  return guarded([&] {
    withElement(type, [&](auto element) {
      using Element = decltype(element);
      Tensors t;
      const AttentionDeltaOf<Element> arguments{
          .out = t.elements<Element>(out, vectors * value_dim, "out"),
          .dOut = t.elements<Element>(d_out, vectors * value_dim, "dOut"),
          .delta = t.floats(delta, vectors, "delta"),
          .vectors = vectors,
          .valueDim = value_dim};
      enqueue(stream, "attentionDelta",
              kernelFor<Element>(&Kernels::attentionDelta, &Kernels::attentionDeltaBfloat16), t,
              arguments);
    });
  });
}

libra_status libra_merge_partials(libra_stream* stream, libra_tensor partial,
                                  libra_tensor partial_log_sum_exp, libra_tensor out,
                                  libra_tensor log_sum_exp, int64_t vectors, int64_t value_dim) {
  return guarded([&] {
    Tensors t;
    const MergePartialsArguments arguments{
        .partial = t.floats(partial, vectors * value_dim, "partial"),
        .partialLogSumExp = t.floats(partial_log_sum_exp, vectors, "partialLogSumExp"),
        .out = t.floats(out, vectors * value_dim, "out"),
        .logSumExp = t.floats(log_sum_exp, vectors, "logSumExp"),
        .vectors = vectors,
        .valueDim = value_dim};
    enqueue(stream, "mergePartials", &Kernels::mergePartials, t, arguments);
  });
}

libra_status libra_vector_runs_create(libra_column from, libra_column to, libra_column rows,
                                      libra_column stride, libra_vector_runs** out) {
  return guarded([&] {
    const int64_t count =
        sameCount({{"from", &from}, {"to", &to}, {"rows", &rows}, {"stride", &stride}});
    auto runs = std::make_shared<std::vector<VectorRun>>();
    int64_t fromExtent = 0, toExtent = 0;
    for (int64_t i = 0; i < count; ++i) {
      const VectorRun run{from.values[i], to.values[i], rows.values[i], stride.values[i]};
      refuseNegative(run.from, "from", i);
      refuseNegative(run.to, "to", i);
      refuseNegative(run.rows, "rows", i);
      refuseNegative(run.stride, "stride", i);
      fromExtent = std::max(fromExtent, extentOf(run.from, run.rows, 1, 1));
      toExtent = std::max(toExtent, extentOf(run.to, run.rows, run.stride, 1));
      runs->push_back(run);
    }
    *out = new libra_vector_runs{std::move(runs), fromExtent, toExtent};
  });
}

void libra_vector_runs_release(libra_vector_runs* runs) { delete runs; }

libra_status libra_accumulate_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                      libra_vector_runs* runs, int64_t vector_size) {
  return guarded([&] {
    Tensors t;
    const AccumulateVectorsArguments arguments{
        .from = t.floats(from, runs->fromExtent * vector_size, "from"),
        .to = t.floats(to, runs->toExtent * vector_size, "to"),
        .runs = runs->runs->data(),
        .runCount = static_cast<int64_t>(runs->runs->size()),
        .vectorSize = vector_size};
    t.hold(runs->runs);
    enqueue(stream, "accumulateVectors", &Kernels::accumulateVectors, t, arguments);
  });
}

libra_status libra_vector_blocks_create(libra_column offset, libra_column rows, libra_column stride,
                                        libra_column width, libra_vector_blocks** out) {
  return guarded([&] {
    const int64_t count =
        sameCount({{"offset", &offset}, {"rows", &rows}, {"stride", &stride}, {"width", &width}});
    auto blocks = std::make_shared<std::vector<VectorBlock>>();
    int64_t vectors = 0, extent = 0;
    for (int64_t i = 0; i < count; ++i) {
      const VectorBlock block{offset.values[i], rows.values[i], stride.values[i], width.values[i]};
      refuseNegative(block.offset, "offset", i);
      refuseNegative(block.rows, "rows", i);
      refuseNegative(block.stride, "stride", i);
      refuseNegative(block.width, "width", i);
      vectors += block.rows * block.width;
      extent = std::max(extent, extentOf(block.offset, block.rows, block.stride, block.width));
      blocks->push_back(block);
    }
    *out = new libra_vector_blocks{std::move(blocks), vectors, extent};
  });
}

void libra_vector_blocks_release(libra_vector_blocks* blocks) { delete blocks; }

libra_status libra_gather_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                  libra_vector_blocks* blocks, int64_t vector_size) {
  return guarded([&] {
    Tensors t;
    const MoveVectorsArguments arguments{
        .from = t.floats(from, blocks->extent * vector_size, "from"),
        .to = t.floats(to, blocks->vectors * vector_size, "to"),
        .blocks = blocks->blocks->data(),
        .blockCount = static_cast<int64_t>(blocks->blocks->size()),
        .vectorSize = vector_size};
    t.hold(blocks->blocks);
    enqueue(stream, "gatherVectors", &Kernels::gatherVectors, t, arguments);
  });
}

libra_status libra_scatter_vectors(libra_stream* stream, libra_tensor from, libra_tensor to,
                                   libra_vector_blocks* blocks, int64_t vector_size) {
  return guarded([&] {
    Tensors t;
    const MoveVectorsArguments arguments{
        .from = t.floats(from, blocks->vectors * vector_size, "from"),
        .to = t.floats(to, blocks->extent * vector_size, "to"),
        .blocks = blocks->blocks->data(),
        .blockCount = static_cast<int64_t>(blocks->blocks->size()),
        .vectorSize = vector_size};
    t.hold(blocks->blocks);
    enqueue(stream, "scatterVectors", &Kernels::scatterVectors, t, arguments);
  });
}

}  // extern "C"
