// Bytes that a sampler holds per document beyond its input, in a process of its own: prints a number.
import { createSampler } from "@libra/sampler";
import { lognormal } from "../placement/corpora.mjs";

const held = () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const lengths = lognormal(10_000_000, 644, 2.02, 4);
// A first sampler, so that compiled code is not counted as data.
createSampler({ lengths: lengths.subarray(0, 100_000), window: 2 ** 17, dp: 8 }).next();
const before = held();
const sampler = createSampler({ lengths, window: 2 ** 17, dp: 128, microSteps: 4, poolSize: 8 });
sampler.next();
const bytes = (held() - before) / lengths.length;
// Used after the measurement, so that nothing of it could be collected before.
sampler.next();
console.log(bytes + 0 * lengths[0]);
