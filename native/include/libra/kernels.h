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

#include "libra/attention-arguments.h"
#include "libra/element-arguments.h"
#include "libra/layer-arguments.h"
#include "libra/workers.h"

namespace libra {

/// The kernels of one instruction set.
struct Kernels {
  const char* instructionSet;  // "base", "arm64", "avx2", "avx512"
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

/// The table of an instruction set by name; throws std::invalid_argument with the valid names.
const Kernels& kernels(std::string_view instructionSet);

/// Names this machine can run, widest first, separated by spaces ("avx512 avx2 base").
std::string_view instructionSets();

}  // namespace libra
