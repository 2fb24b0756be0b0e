// Kernels of the CPU device: one table of plain functions per instruction set.
//
// Every kernel works on raw memory that the caller owns and has validated, and on the
// compute threads of one rank (libra::Workers). Shapes are row-major and contiguous unless a
// field says otherwise; counts and offsets are 64-bit elements or vectors, never bytes. Results
// are bitwise independent of the number of threads. A kernel that meets bad data (an id outside a
// table) throws std::out_of_range with a message for the user.
//
//   const libra::Kernels& kernels = libra::kernels();
//   kernels.linear(workers, {.x = x, .weight = w, .out = y, .rows = T, .in = K, .outputs = N});
//
// Letters: T tokens, R rows, K inputs and N outputs of a layer, V vocabulary, H heads, D head dim.
#pragma once

#include <cstdint>
#include <string_view>

#include "libra/workers.h"

namespace libra {

/// A bfloat16: the upper half of a float's bits.
struct Bfloat16 {
  uint16_t bits;
};

/// out[T,N] = x[T,K] · weight[N,K]ᵀ (+ residual[T,N]). `residual` may be `out`.
/// Element and Out: float or Bfloat16; sums are float32 in both.
template <class Element, class Out = Element>
struct LinearOf {
  const Element* x;
  const Element* weight;
  const Out* residual = nullptr;  // optional
  Out* out;
  int64_t rows;     // T
  int64_t in;       // K
  int64_t outputs;  // N
};

using LinearArguments = LinearOf<float>;
using LinearBfloat16Arguments = LinearOf<Bfloat16>;
using LinearBfloat16WideArguments = LinearOf<Bfloat16, float>;

/// dx[T,K] (+)= dOut[T,N] · weight[N,K]
template <class Element>
struct LinearBackwardInputOf {
  const Element* dOut;
  const Element* weight;
  Element* dx;
  int64_t rows;
  int64_t in;
  int64_t outputs;
  bool accumulate = false;
};

using LinearBackwardInputArguments = LinearBackwardInputOf<float>;
using LinearBackwardInputBfloat16Arguments = LinearBackwardInputOf<Bfloat16>;

/// dWeight[N,K] (+)= dOut[T,N]ᵀ · x[T,K], always float32
template <class Element>
struct LinearBackwardWeightOf {
  const Element* dOut;
  const Element* x;
  float* dWeight;
  int64_t rows;
  int64_t in;
  int64_t outputs;
  bool accumulate = false;
};

using LinearBackwardWeightArguments = LinearBackwardWeightOf<float>;
using LinearBackwardWeightBfloat16Arguments = LinearBackwardWeightOf<Bfloat16>;

/// out[R,N] = x · inverseRms · weight[N], inverseRms[R] = 1 / √(mean(x²) + eps)
template <class Element>
struct RmsNormOf {
  const Element* x;
  const float* weight;
  Element* out;
  float* inverseRms;
  int64_t rows;
  int64_t width;  // N
  float eps;
};

using RmsNormArguments = RmsNormOf<float>;
using RmsNormBfloat16Arguments = RmsNormOf<Bfloat16>;

/// dx[R,N] (+)= …, dWeight[N] (+)= Σ_rows dOut · x · inverseRms
template <class Element>
struct RmsNormBackwardOf {
  const Element* dOut;
  const Element* x;
  const float* weight;
  const float* inverseRms;
  Element* dx;
  float* dWeight;
  int64_t rows;
  int64_t width;
  bool accumulate = false;        // dx adds
  bool accumulateWeight = false;  // dWeight adds
};

using RmsNormBackwardArguments = RmsNormBackwardOf<float>;
using RmsNormBackwardBfloat16Arguments = RmsNormBackwardOf<Bfloat16>;

/// Hugging Face's half rotation of x[T,H,D]; D even; `out` may be `x`; inverse = the gradient.
template <class Element>
struct RopeOf {
  const Element* x;
  const int32_t* positions;  // [T]
  Element* out;
  int64_t tokens;
  int64_t heads;
  int64_t headDim;
  double theta;
  bool inverse = false;
};

using RopeArguments = RopeOf<float>;
using RopeBfloat16Arguments = RopeOf<Bfloat16>;

/// out = gate · sigmoid(gate) · up, `count` elements each
template <class Element>
struct SwigluOf {
  const Element* gate;
  const Element* up;
  Element* out;
  int64_t count;
};

using SwigluArguments = SwigluOf<float>;
using SwigluBfloat16Arguments = SwigluOf<Bfloat16>;

/// Writes dGate and dUp (each may be its forward input or dOut).
template <class Element>
struct SwigluBackwardOf {
  const Element* dOut;
  const Element* gate;
  const Element* up;
  Element* dGate;
  Element* dUp;
  int64_t count;
};

using SwigluBackwardArguments = SwigluBackwardOf<float>;
using SwigluBackwardBfloat16Arguments = SwigluBackwardOf<Bfloat16>;

/// out[T,N] = table[ids[t]]; table[V,N]
template <class Element>
struct EmbeddingOf {
  const int32_t* ids;
  const Element* table;
  Element* out;
  int64_t tokens;
  int64_t vocabulary;
  int64_t width;
};

using EmbeddingArguments = EmbeddingOf<float>;
using EmbeddingBfloat16Arguments = EmbeddingOf<Bfloat16>;

/// dTable[V,N] (+)= rows of dOut[T,N], equal ids added in token order; always float32
template <class Element>
struct EmbeddingBackwardOf {
  const int32_t* ids;
  const Element* dOut;
  float* dTable;
  int64_t tokens;
  int64_t vocabulary;
  int64_t width;
  bool accumulate = false;
};

using EmbeddingBackwardArguments = EmbeddingBackwardOf<float>;
using EmbeddingBackwardBfloat16Arguments = EmbeddingBackwardOf<Bfloat16>;

/// Rows whose target is ignoredTarget count nothing.
inline constexpr int32_t ignoredTarget = -100;

/// sums[2] (+)= {Σ (logSumExp − logit of the target), number of valid targets};
/// logSumExp[T] natural logarithm, written for every row
struct CrossEntropyArguments {
  const float* logits;     // [T,V]
  const int32_t* targets;  // [T]
  double* sums;
  float* logSumExp;
  int64_t rows;
  int64_t vocabulary;
  bool accumulate = false;  // sums adds
};

/// dLogits = scale · (softmax − onehot(target)), 0 for ignored rows; may be `logits`
struct CrossEntropyBackwardArguments {
  const float* logits;
  const int32_t* targets;
  const float* logSumExp;
  float* dLogits;
  int64_t rows;
  int64_t vocabulary;
  float scale;
};

/// out = a + b; `out` may be either
template <class Element>
struct AddOf {
  const Element* a;
  const Element* b;
  Element* out;
  int64_t count;
};

using AddArguments = AddOf<float>;
using AddBfloat16Arguments = AddOf<Bfloat16>;

/// out = x · factor (· *factorTensor when given); `out` may be `x`
struct ScaleArguments {
  const float* x;
  float* out;
  int64_t count;
  float factor = 1;
  const float* factorTensor = nullptr;
};

template <class Element>
struct FillOf {
  Element* out;
  int64_t count;
  float value;
};

using FillArguments = FillOf<float>;
using FillBfloat16Arguments = FillOf<Bfloat16>;

/// Any element type; the ranges must not overlap.
struct CopyArguments {
  const void* from;
  void* to;
  int64_t bytes;
};

/// *out (+)= Σ x², in double, summed in a fixed order
struct SumSquaresArguments {
  const float* x;
  double* out;
  int64_t count;
  bool accumulate = false;
};

/// norm = √sumSquares; factor = min(1, maxNorm / norm)
struct ClipFactorArguments {
  const double* sumSquares;
  float maxNorm;
  float* out;
  float* norm;
};

/// Decoupled weight decay as torch.optim.AdamW; `step` counts from 1.
struct AdamWArguments {
  float* parameter;
  const float* gradient;
  float* m;
  float* v;
  int64_t count;
  double learningRate;
  double beta1;
  double beta2;
  double eps;
  double weightDecay;
  int64_t step;
  const float* gradientFactor = nullptr;  // optional [1]: multiplies the gradient
};

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

/// to[i] = from[i], rounded to nearest even when it gets narrower
template <class From, class To>
struct ConvertOf {
  const From* from;
  To* to;
  int64_t count;
};
using NarrowArguments = ConvertOf<float, Bfloat16>;
using WidenArguments = ConvertOf<Bfloat16, float>;

/// The kernels of one instruction set.
struct Kernels {
  const char* instructionSet;  // "base", "avx2", "avx512"
  int64_t rowBlock;            // query rows of attention's row block, equal on every set
  void (*linear)(Workers&, const LinearArguments&);
  void (*linearBackwardInput)(Workers&, const LinearBackwardInputArguments&);
  void (*linearBackwardWeight)(Workers&, const LinearBackwardWeightArguments&);
  void (*rmsNorm)(Workers&, const RmsNormArguments&);
  void (*rmsNormBackward)(Workers&, const RmsNormBackwardArguments&);
  void (*rope)(Workers&, const RopeArguments&);
  void (*swiglu)(Workers&, const SwigluArguments&);
  void (*swigluBackward)(Workers&, const SwigluBackwardArguments&);
  void (*embedding)(Workers&, const EmbeddingArguments&);
  void (*embeddingBackward)(Workers&, const EmbeddingBackwardArguments&);
  void (*crossEntropy)(Workers&, const CrossEntropyArguments&);
  void (*crossEntropyBackward)(Workers&, const CrossEntropyBackwardArguments&);
  void (*add)(Workers&, const AddArguments&);
  void (*scale)(Workers&, const ScaleArguments&);
  void (*fill)(Workers&, const FillArguments&);
  void (*copy)(Workers&, const CopyArguments&);
  void (*sumSquares)(Workers&, const SumSquaresArguments&);
  void (*clipFactor)(Workers&, const ClipFactorArguments&);
  void (*adamW)(Workers&, const AdamWArguments&);
  void (*attentionForward)(Workers&, const AttentionForwardArguments&);
  void (*attentionBackward)(Workers&, const AttentionBackwardArguments&);
  void (*attentionDelta)(Workers&, const AttentionDeltaArguments&);
  void (*mergePartials)(Workers&, const MergePartialsArguments&);
  void (*accumulateVectors)(Workers&, const AccumulateVectorsArguments&);
  void (*gatherVectors)(Workers&, const MoveVectorsArguments&);
  void (*scatterVectors)(Workers&, const MoveVectorsArguments&);
  // bfloat16 tensors, float32 sums
  const char* bfloat16;  // "dot" (the machine's products of pairs) or "convert" (float32 products)
  void (*narrow)(Workers&, const NarrowArguments&);
  void (*widen)(Workers&, const WidenArguments&);
  void (*linearBfloat16)(Workers&, const LinearBfloat16Arguments&);
  void (*linearBfloat16Wide)(Workers&, const LinearBfloat16WideArguments&);
  void (*linearBackwardInputBfloat16)(Workers&, const LinearBackwardInputBfloat16Arguments&);
  void (*linearBackwardWeightBfloat16)(Workers&, const LinearBackwardWeightBfloat16Arguments&);
  void (*rmsNormBfloat16)(Workers&, const RmsNormBfloat16Arguments&);
  void (*rmsNormBackwardBfloat16)(Workers&, const RmsNormBackwardBfloat16Arguments&);
  void (*ropeBfloat16)(Workers&, const RopeBfloat16Arguments&);
  void (*swigluBfloat16)(Workers&, const SwigluBfloat16Arguments&);
  void (*swigluBackwardBfloat16)(Workers&, const SwigluBackwardBfloat16Arguments&);
  void (*embeddingBfloat16)(Workers&, const EmbeddingBfloat16Arguments&);
  void (*embeddingBackwardBfloat16)(Workers&, const EmbeddingBackwardBfloat16Arguments&);
  void (*addBfloat16)(Workers&, const AddBfloat16Arguments&);
  void (*fillBfloat16)(Workers&, const FillBfloat16Arguments&);
  void (*attentionForwardBfloat16)(Workers&, const AttentionForwardBfloat16Arguments&);
  void (*attentionBackwardBfloat16)(Workers&, const AttentionBackwardBfloat16Arguments&);
  void (*attentionDeltaBfloat16)(Workers&, const AttentionDeltaBfloat16Arguments&);
};

/// The process's default: LIBRA_ISA if set (std::invalid_argument when this machine lacks it or
/// the name is unknown), else the widest set this machine has. Chosen once. LIBRA_BF16=convert
/// keeps bfloat16 kernels from the machine's products of pairs.
const Kernels& kernels();

/// The table of "base", "avx2" or "avx512"; throws std::invalid_argument with the valid names.
const Kernels& kernels(std::string_view instructionSet);

/// Names this machine can run, widest first, separated by spaces ("avx512 avx2 base").
std::string_view instructionSets();

}  // namespace libra
