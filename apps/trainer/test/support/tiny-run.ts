import { launchLocal } from "@libra/runtime";
import { checkConfig } from "../../src/config/load-config.js";
import { joinDocuments, lengthsOf } from "../../src/data/documents.js";
import type { NamedArray } from "../../src/files/safetensors-read.js";
import { initialParameters } from "../../src/model/initial.js";
import type { ModelSizes } from "../../src/model/sizes.js";
import type { PreparedRun } from "../../src/train/prepare.js";
import { RankTrainer } from "../../src/train/rank-trainer.js";
import { samplerFor } from "../../src/train/step-layout.js";
import type { StepRecord } from "../../src/train/step-record.js";
import { train } from "../../src/train/train.js";
import { temporaryFolder } from "./folder.js";

export const tinySizes: ModelSizes = {
  layers: 2,
  hidden: 32,
  queryHeads: 4,
  kvHeads: 2,
  headDim: 16,
  intermediate: 48,
  vocabulary: 40,
  ropeTheta: 1e6,
  normEpsilon: 1e-6,
  tieWordEmbeddings: false,
};

/** Documents of uneven lengths, some longer than a window; ids follow a rule that can be learnt. */
function tinyDocuments(count = 60, longest = 500) {
  let state = 7;
  const next = (bound: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % bound;
  };
  const parts = Array.from({ length: count }, () => {
    const length = Math.max(1, Math.round(longest ** (next(1000) / 1000)));
    const first = next(tinySizes.vocabulary);
    const stride = 1 + next(3);
    return Int32Array.from({ length }, (_, i) => (first + i * stride) % tinySizes.vocabulary);
  });
  return { ...joinDocuments(parts), vocabulary: tinySizes.vocabulary };
}

/** A run over {@link tinyDocuments}; four packed sequences a step whatever dp is. */
export function tinyRun(
  { dp, cp }: { dp: number; cp: number },
  strategy: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): PreparedRun {
  const output = temporaryFolder();
  const config = checkConfig(
    {
      output,
      steps: 20,
      layout: { dp, cp },
      batch: { window: 224, microSteps: 4 / dp },
      strategy: { chunks: 2, ...strategy },
      runtime: { threads: 1, timeoutMs: 20_000 },
      ...more,
    },
    "test",
  );
  return {
    config,
    sizes: tinySizes,
    documents: tinyDocuments(),
    start: { values: spreadParameters(), step: 0 },
    runFolder: `${output}/${config.name}`,
    corpusFiles: [],
  };
}

/** Larger values than training begins with, so that attention is far from uniform. */
function spreadParameters(): Map<string, Float32Array> {
  const values = initialParameters(tinySizes, 3);
  for (const [name, column] of values) {
    if (!name.includes("norm"))
      values.set(
        name,
        column.map((value) => value * 6),
      );
  }
  return values;
}

/** Trains and gives the records of all steps. */
export async function trainTiny(run: PreparedRun): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  await train(run, { step: (record) => records.push(record) });
  return records;
}

export interface FirstStep {
  loss: number;
  gradients: Map<string, NamedArray>;
}

/** Loss and gradients of the run's first step, as rank 0 has them after checking that all agree. */
export async function firstStep(run: PreparedRun, fuzz?: { seed: number }): Promise<FirstStep> {
  const { dp, cp } = run.config.layout;
  const results = await launchLocal(
    dp * cp,
    async (rank) => {
      const trainer = new RankTrainer(rank, run);
      const strategy = trainer.strategy(run.config.strategy);
      const plan = samplerFor(run.config, lengthsOf(run.documents)).next();
      const { loss } = await trainer.gradients(await strategy.planStep(plan), strategy);
      return { loss, gradients: await trainer.readGradients() };
    },
    { threads: 1, fuzz },
  );
  for (const result of results) {
    if (!sameBits(result, results[0]!)) throw new Error("ranks hold different gradients");
  }
  return results[0]!;
}

export function sameBits(a: FirstStep, b: FirstStep): boolean {
  if (a.loss !== b.loss || a.gradients.size !== b.gradients.size) return false;
  for (const [name, { data }] of a.gradients) {
    const other = b.gradients.get(name)!.data;
    if (
      !Buffer.from(data.buffer, data.byteOffset, data.byteLength).equals(
        Buffer.from(other.buffer, other.byteOffset, other.byteLength),
      )
    ) {
      return false;
    }
  }
  return true;
}
