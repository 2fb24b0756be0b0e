// Arguments of attention and of the kernels that move vectors for it.
#pragma once

#include <cstdint>

#include "libra/bfloat16.h"

namespace libra {

/// Rows of a query head group against the keys of one KV head. Offsets and strides count vectors.
/// Query vector of (row, head): queryOffset + row · queryStride + head, head in [0, heads).
/// Key vector of a key: keyOffset + key · keyStride.
/// causal: row i sees keys 0 … keys − rows + i (bottom right); otherwise every key.
struct AttentionSegment {
  int64_t queryOffset;
  int64_t queryStride;
  int64_t heads;
  int64_t rows;
  int64_t keyOffset;
  int64_t keyStride;
  int64_t keys;
  bool causal;
};

/// out and logSumExp (natural) of every row of every segment; a row without keys gets 0 and −∞.
/// Bitwise: a row's result depends on its own values and on its segment's keys only.
/// Element: float or Bfloat16; sums are float32 in both.
template <class Element>
struct AttentionForwardOf {
  const Element* q;
  const Element* k;
  const Element* v;
  Element* out;
  float* logSumExp;
  const AttentionSegment* segments;
  int64_t segmentCount;
  float scale;
  int64_t headDim;   // D of q and k, 1 … 256
  int64_t valueDim;  // Dv of v and out, 1 … 256
};

using AttentionForwardArguments = AttentionForwardOf<float>;
using AttentionForwardBfloat16Arguments = AttentionForwardOf<Bfloat16>;

/// dq, dk and dv are float32 and added to. delta comes from attentionDelta.
/// Bitwise: dk and dv of a key are one chain over its row blocks (Kernels::rowBlock rows from the
/// segment's first row), heads, rows; segments that share keys follow each other in list order.
template <class Element>
struct AttentionBackwardOf {
  const Element* q;
  const Element* k;
  const Element* v;
  const Element* dOut;
  const float* logSumExp;
  const float* delta;
  float* dq;
  float* dk;
  float* dv;
  const AttentionSegment* segments;
  int64_t segmentCount;
  float scale;
  int64_t headDim;
  int64_t valueDim;
};

using AttentionBackwardArguments = AttentionBackwardOf<float>;
using AttentionBackwardBfloat16Arguments = AttentionBackwardOf<Bfloat16>;

/// delta[vectors] = Σ_d out · dOut over vectors of valueDim elements
template <class Element>
struct AttentionDeltaOf {
  const Element* out;
  const Element* dOut;
  float* delta;
  int64_t vectors;
  int64_t valueDim;
};

using AttentionDeltaArguments = AttentionDeltaOf<float>;
using AttentionDeltaBfloat16Arguments = AttentionDeltaOf<Bfloat16>;

/// Adds a partial result to a running one by log-sum-exp; (0, −∞) is neutral.
struct MergePartialsArguments {
  const float* partial;           // [vectors, valueDim]
  const float* partialLogSumExp;  // [vectors]
  float* out;
  float* logSumExp;
  int64_t vectors;
  int64_t valueDim;
};

/// Runs of vectors, in order: to[run.to + r · run.stride] += from[run.from + r], r in [0, rows).
struct VectorRun {
  int64_t from;
  int64_t to;
  int64_t rows;
  int64_t stride;
};

struct AccumulateVectorsArguments {
  const float* from;
  float* to;
  const VectorRun* runs;
  int64_t runCount;
  int64_t vectorSize;
};

/// `rows` groups of `width` consecutive vectors; group g begins at offset + g · stride.
struct VectorBlock {
  int64_t offset;
  int64_t rows;
  int64_t stride;
  int64_t width;
};

/// gather: strided blocks of `from` -> consecutive vectors of `to`; scatter: the reverse.
struct MoveVectorsArguments {
  const void* from;
  void* to;
  const VectorBlock* blocks;
  int64_t blockCount;
  int64_t vectorSize;        // elements
  int64_t elementBytes = 4;  // 2 for bfloat16
};

}  // namespace libra
