// Writes test/fixtures/exact-optimum.json: small placement problems of every data set with their
// exact optimum, found by HiGHS to a gap of 0.025 %. Needs the built package and the data folder, and
// takes an hour or so: node packages/sampler/scripts/exact-optimum.mjs [seconds for each problem];
// then npm run format
//
// Workloads of lists that may not be copied are left out: their problems hold the recipe only.
import { writeFileSync } from "node:fs";
import { libraPlacement, measurePlacement } from "@libra/sampler";
import highsLoader from "highs";
import { loadCorpus, mayBeCommitted } from "../bench/placement/corpora.mjs";
import { workloadsOf } from "../bench/placement/workloads.mjs";
import { problems } from "./exact-optimum/problems.mjs";
import { programOf } from "./exact-optimum/program.mjs";

const seconds = Number(process.argv[2] ?? 240);
const gap = 2.5e-4;
const highs = await highsLoader();
const solved = [];
const unsolved = [];
for (const problem of problems) {
  const { data, window, seed, pools, poolSize, microSteps, sync } = problem;
  const shape = { pools, poolSize, microSteps, sync, stages: 1, backwardRatio: 2.5 };
  const workloads = workloadsOf(
    await loadCorpus(data),
    window,
    pools * poolSize * microSteps,
    seed,
  );
  const slots = libraPlacement().place(workloads, shape);
  const { stepSkew, bound } = measurePlacement(slots, workloads, shape);
  const begun = performance.now();
  const result = solve(programOf(workloads, shape, bound));
  const took = ((performance.now() - begun) / 1000).toFixed(1);
  const proven = result.Status === "Optimal";
  console.log(
    JSON.stringify({
      ...problem,
      libra: stepSkew,
      bound,
      optimum: result.ObjectiveValue,
      proven,
      took,
    }),
  );
  (proven ? solved : unsolved).push({
    ...problem,
    optimum: Number(result.ObjectiveValue.toPrecision(9)),
    ...(mayBeCommitted(data) ? { workloads: [...workloads] } : {}),
  });
}
const file = new URL("../test/fixtures/exact-optimum.json", import.meta.url);
writeFileSync(file, `${JSON.stringify({ gap, problems: solved }, null, 2)}\n`);
console.log(`${solved.length} solved, ${unsolved.length} not proven in ${seconds} s and left out`);

function solve(program) {
  try {
    const options = { time_limit: seconds, mip_rel_gap: gap, output_flag: false };
    return highs.solve(program, options);
  } catch (error) {
    return { Status: String(error), ObjectiveValue: Number.NaN };
  }
}
