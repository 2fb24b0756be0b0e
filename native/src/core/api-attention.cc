// Attention behind libra.h.
#include <algorithm>

#include "core/api-operators.h"
#include "core/extent.h"

using namespace libra;
using libra::api::enqueue;
using libra::api::extentOf;
using libra::api::guarded;
using libra::api::kernelFor;
using libra::api::refuseNegative;
using libra::api::sameCount;
using libra::api::Tensors;
using libra::api::withElement;

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

}  // extern "C"
