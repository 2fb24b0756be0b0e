import { createSampler } from "@libra/sampler";

const chunk = 1024;

/**
 * Workloads of `count` packed sequences in arrival order: concatSplit of the shuffled corpus, epoch
 * after epoch, whole windows, causal pairs.
 */
export function workloadsOf(lengths, window, count, seed) {
  const one = { lengths, window, dp: 1, seed, placement: "arrival" };
  const perEpoch = createSampler(one).stepsPerEpoch;
  const microSteps = Math.min(chunk, perEpoch, count);
  const sampler = createSampler({ ...one, microSteps });
  const workloads = new Float64Array(count);
  for (let at = 0; at < count; ) {
    const { workload } = sampler.next();
    const part = workload.subarray(0, Math.min(workload.length, count - at));
    workloads.set(part, at);
    at += part.length;
  }
  return workloads;
}
