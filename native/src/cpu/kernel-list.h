// Declarations of one instruction set's kernels, as table.cc collects them.
#pragma once

#include "isa.h"
#include "libra/kernels.h"

namespace libra::cpu::LIBRA_SET {

void linear(Workers&, const LinearArguments&);
void linearBackwardInput(Workers&, const LinearBackwardInputArguments&);
void linearBackwardWeight(Workers&, const LinearBackwardWeightArguments&);
void rmsNorm(Workers&, const RmsNormArguments&);
void rmsNormBackward(Workers&, const RmsNormBackwardArguments&);
void rope(Workers&, const RopeArguments&);
void swiglu(Workers&, const SwigluArguments&);
void swigluBackward(Workers&, const SwigluBackwardArguments&);
void embedding(Workers&, const EmbeddingArguments&);
void embeddingBackward(Workers&, const EmbeddingBackwardArguments&);
void crossEntropy(Workers&, const CrossEntropyArguments&);
void crossEntropyBackward(Workers&, const CrossEntropyBackwardArguments&);
void add(Workers&, const AddArguments&);
void scale(Workers&, const ScaleArguments&);
void fill(Workers&, const FillArguments&);
void copy(Workers&, const CopyArguments&);
void sumSquares(Workers&, const SumSquaresArguments&);
void clipFactor(Workers&, const ClipFactorArguments&);
void adamW(Workers&, const AdamWArguments&);
void attentionForward(Workers&, const AttentionForwardArguments&);
void attentionBackward(Workers&, const AttentionBackwardArguments&);
void attentionDelta(Workers&, const AttentionDeltaArguments&);
void mergePartials(Workers&, const MergePartialsArguments&);
void accumulateVectors(Workers&, const AccumulateVectorsArguments&);
void gatherVectors(Workers&, const MoveVectorsArguments&);
void scatterVectors(Workers&, const MoveVectorsArguments&);
void narrow(Workers&, const NarrowArguments&);
void widen(Workers&, const WidenArguments&);
void linearBfloat16(Workers&, const LinearBfloat16Arguments&);
void linearBfloat16Wide(Workers&, const LinearBfloat16WideArguments&);
void linearBackwardInputBfloat16(Workers&, const LinearBackwardInputBfloat16Arguments&);
void linearBackwardWeightBfloat16(Workers&, const LinearBackwardWeightBfloat16Arguments&);
void rmsNormBfloat16(Workers&, const RmsNormBfloat16Arguments&);
void rmsNormBackwardBfloat16(Workers&, const RmsNormBackwardBfloat16Arguments&);
void ropeBfloat16(Workers&, const RopeBfloat16Arguments&);
void swigluBfloat16(Workers&, const SwigluBfloat16Arguments&);
void swigluBackwardBfloat16(Workers&, const SwigluBackwardBfloat16Arguments&);
void embeddingBfloat16(Workers&, const EmbeddingBfloat16Arguments&);
void embeddingBackwardBfloat16(Workers&, const EmbeddingBackwardBfloat16Arguments&);
void addBfloat16(Workers&, const AddBfloat16Arguments&);
void fillBfloat16(Workers&, const FillBfloat16Arguments&);
void attentionForwardBfloat16(Workers&, const AttentionForwardBfloat16Arguments&);
void attentionBackwardBfloat16(Workers&, const AttentionBackwardBfloat16Arguments&);
void attentionDeltaBfloat16(Workers&, const AttentionDeltaBfloat16Arguments&);

}  // namespace libra::cpu::LIBRA_SET
