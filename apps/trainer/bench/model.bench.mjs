// How many tokens per second does the trainer's step reach, against Hugging Face's Qwen3 in PyTorch
// (found through LIBRA_TORCH_PYTHON) on the same machine?
//
//   npm run bench -- model [--rounds N] [--threads 2] [--dtype float32|bfloat16] [--attempts 6]
//     [--torch packed,grouped]
//
// Both sides begin with the same weights, read the same windows in the same order and do whole steps:
// forward, backward, clipping, AdamW. Steps alternate; one that other processes disturbed does not count
// and another is timed. PyTorch tries four ways first (documents packed or single, keys grouped or
// repeated) and keeps the quickest, unless --torch names one. The last line is one JSON object;
// `lossDifference` is the greatest absolute difference of the first three losses.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  checkConfig,
  initialParameters,
  joinDocuments,
  parameterShapes,
  saveModel,
  train,
} from "@libra/trainer";
import { median, trial } from "../../../bench/lib/trial.mjs";
import { rounded, startPeer, Trials } from "../../../packages/runtime/bench/peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: "2" },
    dtype: { type: "string", default: "float32" },
    torch: { type: "string", default: "" },
    attempts: { type: "string", default: "6" },
  },
});
const rounds = Number(options.rounds);
const comparedSteps = 3;

const window = 8192;
const sizes = {
  layers: 8,
  hidden: 512,
  queryHeads: 8,
  kvHeads: 2,
  headDim: 64,
  intermediate: 1536,
  vocabulary: 8192,
  ropeTheta: 1e6,
  normEpsilon: 1e-6,
  tieWordEmbeddings: false,
};
/** Documents of each window, long and short ones; in the order in which the sampler packs them. */
const windows = [
  [3072, 96, 1024, 400, 2048, 128, 512, 64, 848],
  [64, 5000, 256, 1500, 700, 128, 544],
  [1024, 512, 2048, 200, 4000, 408],
];

/** Ids that a model can learn something of: each document counts on by its own stride. */
function makeDocuments() {
  let state = 7;
  const next = (bound) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % bound;
  };
  const parts = windows.flat().map((length) => {
    const [first, stride] = [next(sizes.vocabulary), 1 + next(7)];
    return Int32Array.from({ length }, (_, i) => (first + i * stride) % sizes.vocabulary);
  });
  return { ...joinDocuments(parts), vocabulary: sizes.vocabulary };
}

const folder = mkdtempSync(join(tmpdir(), "libra-bench-model-"));
const documents = makeDocuments();
const values = initialParameters(sizes, 0);
const config = checkConfig(
  {
    output: folder,
    steps: 1_000_000,
    dtype: options.dtype,
    layout: { dp: 1, cp: 1 },
    batch: { window, shuffle: false, placement: "arrival" },
    runtime: { threads: Number(options.threads), timeoutMs: 600_000 },
  },
  "the benchmark",
);

/** The training loop of `libra train`, one step at each request. */
function startLibra() {
  const controller = new AbortController();
  const gate = { open: () => {}, ready: () => {}, stepped: () => {} };
  let ready = new Promise((resolve) => {
    gate.ready = resolve;
  });
  const ended = train(
    { config, sizes, documents, start: { values, step: 0 }, runFolder: folder, corpusFiles: [] },
    {
      beforeStep: () =>
        new Promise((resolve, reject) => {
          controller.signal.onabort = () => reject(controller.signal.reason);
          gate.open = resolve;
          gate.ready();
        }),
      step: (record) => gate.stepped(record),
    },
    controller.signal,
  );
  const failed = ended.then(
    () => undefined,
    (error) => {
      if (!controller.signal.aborted) throw error;
    },
  );
  const step = async () => {
    const stepped = new Promise((resolve) => {
      gate.stepped = resolve;
    });
    gate.open();
    return await Promise.race([stepped, failed]);
  };
  return {
    async ask() {
      await Promise.race([ready, failed]);
      ready = new Promise((resolve) => {
        gate.ready = resolve;
      });
      const { value, wallMs, foreign } = await trial(step, { attempts: 1 });
      return { loss: value.loss, seconds: wallMs / 1000, foreign };
    },
    async close() {
      controller.abort(new Error("the benchmark is over"));
      await failed;
    },
  };
}

function startTorch(python) {
  const arrays = parameterShapes(sizes).map(({ name, shape }) => [
    name,
    { shape, data: values.get(name) },
  ]);
  saveModel(folder, sizes, window, new Map(arrays));
  writeFileSync(join(folder, "ids.bin"), documents.ids);
  writeFileSync(join(folder, "setting.json"), JSON.stringify({ windows, ...config.optimizer }));
  const script = fileURLToPath(new URL("./peers/torch_model.py", import.meta.url));
  // Large blocks are kept and used again; PyTorch would otherwise meet new pages in every step.
  process.env.MALLOC_MMAP_THRESHOLD_ = `${2 ** 32}`;
  process.env.MALLOC_TRIM_THRESHOLD_ = `${2 ** 34}`;
  const peer = startPeer(python, [script, folder, options.dtype, options.threads, options.torch]);
  let done = 0;
  return {
    ...peer,
    setting: () => peer.ask("setting 0"),
    ask: () => peer.ask(`step ${done++}`),
  };
}

/** A side that keeps the losses of its steps, whether a trial counted or not. */
function remembering(name, side) {
  const losses = [];
  const ask = async () => {
    const answer = await side.ask();
    losses.push(answer.loss);
    const { seconds, foreign } = answer;
    console.log(
      `${name} ${seconds.toFixed(2)} s, ${(100 * foreign).toFixed(0)} % of a core taken by others`,
    );
    return answer;
  };
  return { ...side, losses, ask };
}

const python = process.env.LIBRA_TORCH_PYTHON;
const trials = new Trials({ attempts: Number(options.attempts) });
const torch = python ? remembering("torch", startTorch(python)) : undefined;
if (torch !== undefined) console.log(`torch: ${JSON.stringify(await torch.setting())}`);
const libra = remembering("libra", startLibra());
try {
  const times = { libra: [], torch: [] };
  // The first step of each warms up: its time does not count, its loss does.
  await libra.ask();
  await torch?.ask();
  for (let round = 0; round < rounds; round += 1) {
    times.libra.push((await trials.ask(libra)).seconds);
    if (torch !== undefined) times.torch.push((await trials.ask(torch)).seconds);
  }
  const [own, other] = [libra.losses, torch?.losses ?? []].map((losses) =>
    losses.slice(0, comparedSteps),
  );
  console.log(`first losses: ${own.join(", ")}; torch ${other.join(", ")}`);
  const apart = other.map((loss, step) => Math.abs(loss - own[step]));
  const speed = (seconds) => window / median(seconds);
  console.log(
    JSON.stringify({
      tokensPerSecond: rounded(speed(times.libra)),
      torchTokensPerSecond: torch === undefined ? null : rounded(speed(times.torch)),
      ratio: torch === undefined ? null : rounded(speed(times.libra) / speed(times.torch)),
      lossDifference: torch === undefined ? null : Number(Math.max(...apart).toPrecision(3)),
      foreignTrials: trials.foreignTrials,
    }),
  );
} finally {
  torch?.close();
  await libra.close();
  rmSync(folder, { recursive: true, force: true });
}
