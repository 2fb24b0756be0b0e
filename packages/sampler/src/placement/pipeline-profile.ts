import { longestPath, Pipeline } from "./pipeline.js";

/** The best split of a pool's work over its micro-steps. */
export interface PipelineProfile {
  readonly pipeline: Pipeline;
  /** M shares, in order, that sum to 1. */
  readonly shares: Float64Array;
  /** A makespan that no split of a total of 1 is below. */
  readonly floor: number;
}

const rounds = 2000;
const mostTrials = 6000;
const finest = 1e-3;

const known = new Map<string, PipelineProfile>();
const mostKnown = 64;

/**
 * Shares of a pool's work for its micro-steps that make the makespan small when every split is
 * possible. Equal shares are not the best: the first micro-step's forward and the last one's
 * backward pass all stages alone, so the best profile is a hill. A pure function, remembered.
 *
 * The makespan is the largest of many linear functions of the shares, one for each path through the
 * schedule: a zero-sum game between shares and paths. Regret matching (Tammelin 2014, CFR+) plays
 * it against the longest path; the average of the paths met proves the floor.
 */
export function pipelineProfile(
  microSteps: number,
  stages: number,
  backwardRatio: number,
): PipelineProfile {
  const key = `${microSteps}/${stages}/${backwardRatio}`;
  const before = known.get(key);
  if (before) return before;
  const pipeline = new Pipeline(microSteps, stages, backwardRatio);
  const even = new Float64Array(microSteps).fill(1 / microSteps);
  const { shares, floor } = play(pipeline, even);
  const candidates = [even, shares].map((start) => descend(pipeline, start));
  const best = candidates.reduce((a, b) => (pipeline.makespan(b) < pipeline.makespan(a) ? b : a));
  if (known.size >= mostKnown) known.clear();
  const profile = Object.freeze({ pipeline, shares: best, floor });
  known.set(key, profile);
  return profile;
}

function play(pipeline: Pipeline, start: Float64Array): { shares: Float64Array; floor: number } {
  const count = start.length;
  const regrets = new Float64Array(count);
  const shareSums = new Float64Array(count);
  const pathSums = new Float64Array(count);
  const shares = start.slice();
  let floor = 0;
  let turns = 0;
  for (let round = 1; round <= rounds; round++) {
    const path = longestPath(pipeline, shares);
    let value = 0;
    for (let m = 0; m < count; m++) value += path[m]! * shares[m]!;
    turns += round;
    let total = 0;
    for (let m = 0; m < count; m++) {
      shareSums[m]! += round * shares[m]!;
      pathSums[m]! += round * path[m]!;
      regrets[m] = Math.max(0, regrets[m]! + value - path[m]!);
      total += regrets[m]!;
    }
    // The least that any split pays against this mixture of paths.
    floor = Math.max(floor, Math.min(...pathSums) / turns);
    for (let m = 0; m < count; m++) shares[m] = total > 0 ? regrets[m]! / total : 1 / count;
  }
  return { shares: shareSums.map((sum) => sum / turns), floor };
}

// Moves shares between pairs of micro-steps, by ever smaller steps.
function descend(pipeline: Pipeline, start: Float64Array): Float64Array {
  const shares = start.slice();
  const count = shares.length;
  let least = pipeline.makespan(shares);
  let trials = 0;
  for (let step = 0.5 / count; step * count > finest; step /= 2) {
    for (let improved = true; improved && trials < mostTrials; ) {
      improved = false;
      for (let n = 0; n < count * count; n++) {
        const from = Math.floor(n / count);
        const to = n % count;
        if (from === to || shares[from]! < step) continue;
        shares[from]! -= step;
        shares[to]! += step;
        trials++;
        const time = pipeline.makespan(shares);
        if (time < least * (1 - 1e-9)) {
          least = time;
          improved = true;
        } else {
          shares[from]! += step;
          shares[to]! -= step;
        }
      }
    }
  }
  return shares;
}
