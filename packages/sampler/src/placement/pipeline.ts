/**
 * Time of one pool's micro-steps through a pipeline under the 1F1B schedule, by the event
 * recurrence: an operation starts when its stage is free and the neighbour's result is there. Stage
 * s runs min(M, stages − 1 − s) forwards first, then forward and backward in turn, then the rest of
 * the backwards (Narayanan et al., PipeDream-flush; Megatron's schedule without interleaving).
 *
 * @param times - work of each micro-step on one stage, in order; forward takes 1/(1+ratio) of it
 * @param stages - at least 1; one stage takes the plain sum
 * @param backwardRatio - backward time ÷ forward time
 */
export function pipelineMakespan(
  times: Float64Array,
  stages: number,
  backwardRatio: number,
): number {
  const count = times.length;
  let sum = 0;
  for (const time of times) sum += time;
  if (stages === 1 || count === 0) return sum;
  const forwardShare = 1 / (1 + backwardRatio);
  const forward = new Float64Array(stages * count).fill(-1);
  const backward = new Float64Array(stages * count).fill(-1);
  const done = new Uint32Array(stages);
  const free = new Float64Array(stages);
  let left = 2 * count * stages;
  while (left > 0) {
    for (let stage = 0; stage < stages; stage++) {
      const warmUp = Math.min(count, stages - 1 - stage);
      for (;;) {
        const step = done[stage]!;
        if (step === 2 * count) break;
        const { isForward, index } = operation(step, warmUp, count);
        const ready = isForward
          ? stage === 0
            ? 0
            : forward[(stage - 1) * count + index]!
          : stage === stages - 1
            ? forward[stage * count + index]!
            : backward[(stage + 1) * count + index]!;
        if (ready < 0) break;
        const share = isForward ? forwardShare : 1 - forwardShare;
        const end = Math.max(free[stage]!, ready) + times[index]! * share;
        free[stage] = end;
        (isForward ? forward : backward)[stage * count + index] = end;
        done[stage] = step + 1;
        left--;
      }
    }
  }
  return Math.max(...free);
}

// The step-th operation of a stage: warm-up forwards, pairs of forward and backward, backwards.
function operation(step: number, warmUp: number, count: number) {
  if (step < warmUp) return { isForward: true, index: step };
  const pairs = count - warmUp;
  const inPairs = step - warmUp;
  if (inPairs < 2 * pairs) {
    const isForward = inPairs % 2 === 0;
    return { isForward, index: (inPairs >> 1) + (isForward ? warmUp : 0) };
  }
  return { isForward: false, index: step - count };
}
