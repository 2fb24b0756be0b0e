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
    .linearBfloat16 = linearBfloat16,
    .linearBfloat16Wide = linearBfloat16Wide,
    .linearBackwardInputBfloat16 = linearBackwardInputBfloat16,
    .linearBackwardWeightBfloat16 = linearBackwardWeightBfloat16,
    .rmsNormBfloat16 = rmsNormBfloat16,
    .rmsNormBackwardBfloat16 = rmsNormBackwardBfloat16,
    .ropeBfloat16 = ropeBfloat16,
    .swigluBfloat16 = swigluBfloat16,
    .swigluBackwardBfloat16 = swigluBackwardBfloat16,
    .embeddingBfloat16 = embeddingBfloat16,
    .embeddingBackwardBfloat16 = embeddingBackwardBfloat16,
    .addBfloat16 = addBfloat16,
    .fillBfloat16 = fillBfloat16,
    .attentionForwardBfloat16 = attentionForwardBfloat16,
    .attentionBackwardBfloat16 = attentionBackwardBfloat16,
    .attentionDeltaBfloat16 = attentionDeltaBfloat16,
};

}  // namespace libra::cpu::LIBRA_SET
