// Plans a corpus in every way that check_plans.py looks at: node make-plans.mjs FOLDER
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createSampler,
  lengthsFingerprint,
  readLengths,
  rewriteMegatronCache,
  torchDistributedIndices,
  torchRandperm,
  writePlanBinary,
  writePlanNdjson,
} from "@libra/sampler";

const folder = process.argv[2];
const file = (name) => join(folder, name);
const lengths = await readLengths(file("lengths.npy"));
const fingerprint = await lengthsFingerprint(lengths);
const shape = { window: 2048, dp: 4, microSteps: 3, poolSize: 2 };

function* epoch(sampler) {
  for (let step = 0; step < sampler.stepsPerEpoch; step++) yield sampler.plan(0, step);
}

for (const [name, options] of Object.entries({
  drop: {},
  fill: { dropLast: false },
  torch: { order: "torch", seed: 42 },
  whole: { packing: "bestFit", dropLast: false },
})) {
  const sampler = createSampler({ lengths, ...shape, ...options });
  await writePlanBinary(file(`${name}.bin`), epoch(sampler), { fingerprint });
  await writePlanNdjson(file(`${name}.ndjson`), epoch(sampler), { fingerprint });
}

// Stop after five steps with dp 4, go on with dp 2: the documents that follow are the same.
const before = createSampler({ lengths, ...shape, dropLast: false });
const first = Array.from({ length: 5 }, () => before.next());
const state = JSON.parse(JSON.stringify(before.state()));
const after = createSampler({ lengths, ...shape, dp: 2, dropLast: false });
after.restore(state);
const rest = [];
for (let plan = after.next(); plan.epoch === 0; plan = after.next()) rest.push(plan);
await writePlanBinary(file("before.bin"), first, { fingerprint });
await writePlanBinary(file("after.bin"), rest, { fingerprint });

const orders = [];
for (const count of [1, 2, 5, 1000, 100_003]) {
  for (const seed of [0, 1, 42, 123_456_789]) {
    orders.push({ count, seed, order: Array.from(torchRandperm(count, seed)) });
  }
}
const distributed = [];
for (const count of [10, 17, 1000]) {
  for (const replicas of [1, 3, 8]) {
    for (const dropLast of [true, false]) {
      for (const epoch of [0, 3]) {
        const options = { count, replicas, dropLast, seed: 9, epoch };
        const ranks = Array.from({ length: replicas }, (_, rank) =>
          Array.from(torchDistributedIndices({ ...options, rank })),
        );
        distributed.push({ ...options, ranks });
      }
    }
  }
}
writeFileSync(file("orders.json"), JSON.stringify({ orders, distributed }));

const report = await rewriteMegatronCache({
  cache: file("cache"),
  data: file("megatron"),
  dp: 4,
  microSteps: 2,
  microBatch: 2,
  poolSize: 2,
});
copyFileSync(report.kept[0], file("cache/original.npy"));
writeFileSync(file("rewrite.json"), JSON.stringify(report));
