// A data pipeline that had no balancing, and gets it from @libra/sampler alone.
// Usage: node pipeline.mjs [documents.jsonl]   (without one, documents are made up)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createSampler, readLengths } from "@libra/sampler";

const path = process.argv[2] ?? "documents.jsonl";
if (!existsSync(path)) writeDocuments(path);

// Lengths come from the pipeline's own file, which stays as it is.
const lengths = await readLengths(path, { column: "tokens" });
const documents = readFileSync(path, "utf8").trim().split("\n");
const tokensOf = (index) => JSON.parse(documents[index]).tokens;

const options = { lengths, window: 1024, dp: 8, microSteps: 4, poolSize: 2, seed: 7 };
const sampler = createSampler(options);
console.log(`${lengths.length} documents, ${sampler.stepsPerEpoch} steps in an epoch`);

for (let i = 0; i < 3; i++) report(sampler.next());

// A checkpoint holds a few numbers; going on needs no replay, also with other sizes.
const state = JSON.parse(JSON.stringify(sampler.state()));
const resumed = createSampler({ ...options, dp: 4 });
resumed.restore(state);
console.log(`resumed with dp 4 after ${state.consumedSamples} packed sequences`);
report(resumed.next());

function report(plan) {
  const before = plan.arrivalSkew.toFixed(3);
  console.log(`step ${plan.step}: skew ${before} before, ${plan.stepSkew.toFixed(3)} after`);
  for (let slot = 0; slot < plan.sequence.length; slot++) send(slot % plan.dp, packed(plan, slot));
}

/** The tokens of one slot, and where its documents end. */
function packed(plan, slot) {
  const tokens = [];
  const cuSeqlens = [0];
  for (let i = plan.segmentOffsets[slot]; i < plan.segmentOffsets[slot + 1]; i++) {
    const start = plan.segmentStart[i];
    tokens.push(...tokensOf(plan.segmentDocument[i]).slice(start, start + plan.segmentLength[i]));
    cuSeqlens.push(tokens.length);
  }
  return { tokens, cuSeqlens };
}

/** Where a batch leaves for its replica: a socket, a queue, a shared buffer. */
function send(_replica, { tokens, cuSeqlens }) {
  if (tokens.length !== cuSeqlens.at(-1)) throw new Error("a packed sequence that does not add up");
}

function writeDocuments(file) {
  const lines = Array.from({ length: 800 }, (_, i) => {
    const length = i % 29 === 0 ? 900 : 20 + ((i * 97) % 300);
    return JSON.stringify({ tokens: Array.from({ length }, (_, t) => (i + t) % 1000) });
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
}
