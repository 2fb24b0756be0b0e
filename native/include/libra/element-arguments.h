// Arguments of the kernels that visit elements: sums, casts, the optimizer.
#pragma once

#include <cstdint>

#include "libra/bfloat16.h"

namespace libra {

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

/// to[i] = from[i], rounded to nearest even when it gets narrower
template <class From, class To>
struct ConvertOf {
  const From* from;
  To* to;
  int64_t count;
};
using NarrowArguments = ConvertOf<float, Bfloat16>;
using WidenArguments = ConvertOf<Bfloat16, float>;

}  // namespace libra
