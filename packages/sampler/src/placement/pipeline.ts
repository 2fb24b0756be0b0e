/**
 * Time of one pool's micro-steps through a pipeline under the 1F1B schedule, by the event
 * recurrence: an operation starts when its stage is free and the neighbour's result is there. Stage
 * s runs min(M, stages − 1 − s) forwards first, then forward and backward in turn, then the rest of
 * the backwards (Narayanan et al., PipeDream-flush; Megatron's schedule without interleaving).
 */
export class Pipeline {
  /** Operations in an order in which every one comes after those it waits for; two words each. */
  readonly operations: Int32Array;
  /** Ends of the operations at the last times. */
  readonly ends: Float64Array;
  private readonly free: Float64Array;
  readonly forwardShare: number;

  /**
   * @param microSteps - M
   * @param stages - at least 1; one stage takes the plain sum
   * @param backwardRatio - backward time ÷ forward time
   */
  constructor(
    readonly microSteps: number,
    readonly stages: number,
    backwardRatio: number,
  ) {
    this.forwardShare = 1 / (1 + backwardRatio);
    this.operations = schedule(microSteps, stages);
    // One more that stays 0, for operations that wait for none.
    this.ends = new Float64Array(2 * microSteps * stages + 1);
    this.free = new Float64Array(stages);
  }

  /** @param times - work of each micro-step on one stage, in order */
  makespan(times: Float64Array): number {
    const { operations, ends, free, microSteps, stages, forwardShare } = this;
    const forwards = microSteps * stages;
    free.fill(0);
    let last = 0;
    for (let at = 0; at < operations.length; at += 2) {
      const operation = operations[at]!;
      const isForward = operation < forwards;
      const cell = isForward ? operation : operation - forwards;
      const stage = Math.floor(cell / microSteps);
      const time = times[cell - stage * microSteps]!;
      const start = Math.max(free[stage]!, ends[operations[at + 1]!]!);
      const end = start + time * (isForward ? forwardShare : 1 - forwardShare);
      ends[operation] = end;
      free[stage] = end;
      if (end > last) last = end;
    }
    return last;
  }
}

/**
 * How much of each micro-step's work lies on the longest path of a schedule: the makespan is their
 * product with the times, and that product with any other times is no more than their makespan.
 *
 * @returns a coefficient for each micro-step
 */
export function longestPath(pipeline: Pipeline, times: Float64Array): Float64Array {
  const { operations, ends, microSteps, stages, forwardShare } = pipeline;
  pipeline.makespan(times);
  const forwards = microSteps * stages;
  const stageOf = (operation: number) => Math.floor((operation % forwards) / microSteps);
  const before = new Int32Array(2 * forwards).fill(-1);
  const latest = new Int32Array(stages).fill(-1);
  let last = -1;
  for (let at = 0; at < operations.length; at += 2) {
    const operation = operations[at]!;
    const waitsFor = operations[at + 1]!;
    const previous = latest[stageOf(operation)]!;
    const free = previous < 0 ? 0 : ends[previous]!;
    const waits = waitsFor < 2 * forwards && ends[waitsFor]! > free;
    before[operation] = waits ? waitsFor : previous;
    latest[stageOf(operation)] = operation;
    if (last < 0 || ends[operation]! > ends[last]!) last = operation;
  }
  const path = new Float64Array(microSteps);
  for (let operation = last; operation >= 0; operation = before[operation]!) {
    path[operation % microSteps]! += operation < forwards ? forwardShare : 1 - forwardShare;
  }
  return path;
}

/** (operation, the one it waits for) pairs; forward of m on stage s is s·M + m, backward + stages·M. */
function schedule(count: number, stages: number): Int32Array {
  const forwards = stages * count;
  const none = 2 * forwards;
  const result: number[] = [];
  const finished = new Uint8Array(none + 1);
  finished[none] = 1;
  const done = new Uint32Array(stages);
  while (result.length < 4 * forwards) {
    for (let stage = 0; stage < stages; stage++) {
      for (; done[stage]! < 2 * count; done[stage]!++) {
        const { isForward, index } = operationAt(done[stage]!, stage, count, stages);
        const operation = (isForward ? 0 : forwards) + stage * count + index;
        let waitsFor = none;
        if (!isForward && stage === stages - 1) waitsFor = stage * count + index;
        else if (!isForward) waitsFor = operation + count;
        else if (stage > 0) waitsFor = operation - count;
        if (!finished[waitsFor]) break;
        finished[operation] = 1;
        result.push(operation, waitsFor);
      }
    }
  }
  return Int32Array.from(result);
}

// The step-th operation of a stage: warm-up forwards, pairs of forward and backward, backwards.
function operationAt(step: number, stage: number, count: number, stages: number) {
  const warmUp = Math.min(count, stages - 1 - stage);
  if (step < warmUp) return { isForward: true, index: step };
  const inPairs = step - warmUp;
  if (inPairs < 2 * (count - warmUp)) {
    const isForward = inPairs % 2 === 0;
    return { isForward, index: (inPairs >> 1) + (isForward ? warmUp : 0) };
  }
  return { isForward: false, index: step - count };
}
