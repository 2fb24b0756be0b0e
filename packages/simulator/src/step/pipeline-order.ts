import { LibraError } from "@libra/base";

/** One pass of one micro-step through one model part of a stage. */
export interface StageOperation {
  readonly forward: boolean;
  readonly microStep: number;
  /** Which of the stage's model parts; 0 without interleaving. */
  readonly part: number;
}

/**
 * What a pipeline stage does, in order: 1F1B, or its interleaved form when stages hold several model
 * parts (Narayanan et al., arXiv 2104.04473; Megatron's schedules): warm-up forwards, then a forward
 * and a backward in turn, then the remaining backwards. Without a pipeline: forward and backward of
 * each micro-step in turn.
 *
 * @param stages - pipeline stages
 * @param parts - model parts of each stage; above 1: interleaved
 * @throws LibraError `LAYOUT` when interleaved micro-steps are not a multiple of the stages
 */
export function pipelineOrder(
  stage: number,
  stages: number,
  microSteps: number,
  parts = 1,
): StageOperation[] {
  if (parts > 1 && microSteps % stages !== 0) {
    throw new LibraError(
      "LAYOUT",
      `Interleaved stages need micro-steps in multiples of the ${stages} stages, not ${microSteps}: valid are ${stages}, ${2 * stages}, ${3 * stages}, …`,
      { details: { stages, microSteps } },
    );
  }
  const total = microSteps * parts;
  const wanted = parts === 1 ? stages - 1 - stage : 2 * (stages - 1 - stage) + (parts - 1) * stages;
  const warmUp = Math.min(total, wanted);
  const at = (index: number, forward: boolean): StageOperation => {
    // Interleaved: groups of `stages` micro-steps go through all parts before the next group.
    const inGroup = index % (stages * parts);
    const part = parts === 1 ? 0 : Math.floor(inGroup / stages);
    const microStep =
      parts === 1 ? index : Math.floor(index / (stages * parts)) * stages + (inGroup % stages);
    return { forward, microStep, part: forward ? part : parts - 1 - part };
  };
  const order: StageOperation[] = [];
  for (let i = 0; i < warmUp; i++) order.push(at(i, true));
  for (let i = warmUp; i < total; i++) order.push(at(i, true), at(i - warmUp, false));
  for (let i = total - warmUp; i < total; i++) order.push(at(i, false));
  return order;
}
