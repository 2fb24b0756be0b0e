// This instruction set's table.
#include "attention-plan.h"
#include "dispatch.h"
#include "kernel-list.h"

#define LIBRA_TEXT(name) #name
#define LIBRA_NAME(name) LIBRA_TEXT(name)

namespace libra::cpu::LIBRA_SET {

extern const Kernels table = {
    .instructionSet = LIBRA_NAME(LIBRA_SET),
    .rowBlock = rowBlock,
    .linear = linear,
    .linearBackwardInput = linearBackwardInput,
    .linearBackwardWeight = linearBackwardWeight,
    .rmsNorm = rmsNorm,
    .rmsNormBackward = rmsNormBackward,
    .rope = rope,
    .swiglu = swiglu,
    .swigluBackward = swigluBackward,
    .embedding = embedding,
    .embeddingBackward = embeddingBackward,
    .crossEntropy = crossEntropy,
    .crossEntropyBackward = crossEntropyBackward,
    .add = add,
    .scale = scale,
    .fill = fill,
    .copy = copy,
    .sumSquares = sumSquares,
    .clipFactor = clipFactor,
    .adamW = adamW,
    .attentionForward = attentionForward,
    .attentionBackward = attentionBackward,
    .attentionDelta = attentionDelta,
    .mergePartials = mergePartials,
    .accumulateVectors = accumulateVectors,
    .gatherVectors = gatherVectors,
    .scatterVectors = scatterVectors,
    .bfloat16 = "convert",
    .narrow = narrow,
    .widen = widen,
    .attentionForwardBfloat16 = attentionForwardBfloat16,
    .attentionBackwardBfloat16 = attentionBackwardBfloat16,
    .attentionDeltaBfloat16 = attentionDeltaBfloat16,
};

}  // namespace libra::cpu::LIBRA_SET
