// Arguments of the kernels of layers and of the loss; see kernels.h for the letters.
#pragma once

#include <cstdint>

#include "libra/bfloat16.h"

namespace libra {

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

}  // namespace libra
