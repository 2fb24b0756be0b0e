import { LibraError, requireInteger } from "@libra/base";
import { resolvePlacement, type SamplerOptions } from "../../options.js";
import { findCache } from "./cache-files.js";
import { misfit } from "./gpt-samples.js";
import { placeInBatches, type SkewSummary } from "./place-batches.js";
import { openTarget } from "./rewrite-target.js";
import { checkTrainingArguments } from "./training-arguments.js";
import { keptPath, writeColumns, writeRecord } from "./write-columns.js";

/** What {@link rewriteMegatronCache} needs to know of the training. */
export interface MegatronRewriteOptions
  extends Pick<
    SamplerOptions,
    "dp" | "microSteps" | "poolSize" | "sync" | "stages" | "backwardRatio" | "placement" | "cost"
  > {
  /** Any file of the cache, the common prefix of its files, or a folder that holds one. */
  readonly cache: string;
  /** The data's `.idx` or prefix. Default: `dataset_path` of the description, below `dataRoot`. */
  readonly data?: string;
  /** Folder that relative `dataset_path`s start from; default the working folder. */
  readonly dataRoot?: string;
  /** Megatron's micro-batch size: samples of one replica in one micro-step; default 1. */
  readonly microBatch?: number;
  /** Samples already consumed by the training: their order stays. Default 0. */
  readonly consumedSamples?: number;
  /** The training's command line; given, it is compared and trainings that cannot gain are refused. */
  readonly trainingArguments?: readonly string[];
  /** Only compute and report. */
  readonly dryRun?: boolean;
  readonly onProgress?: (batches: number, total: number) => void;
}

/** What {@link rewriteMegatronCache} did, or would do. */
export interface MegatronRewriteReport {
  readonly kind: "single" | "blended";
  readonly samples: number;
  readonly window: number;
  readonly globalBatch: number;
  readonly batches: number;
  /** Samples after the last whole global batch, left in place. */
  readonly left: number;
  readonly before: SkewSummary;
  readonly after: SkewSummary;
  readonly bound: SkewSummary;
  /** Files written, and the old ones kept beside them. */
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Writes Libra's order into a Megatron cache, so that an unmodified Megatron reads it: within every
 * global batch, samples change places between replicas and micro-steps; which samples a batch holds
 * stays. For one data set that is `shuffle_index.npy`; for a blend `dataset_index.npy` and
 * `dataset_sample_index.npy`, alike. The files found are kept once as `….before-libra` and are the
 * start of every later rewrite, so that rewriting for another dp does not pile up.
 *
 * @throws LibraError `MISMATCH` for caches that do not fit their data, each other or the training;
 *   `UNSUPPORTED` for trainings that would not read the order; `ARGUMENT` for missing files
 */
export async function rewriteMegatronCache(
  options: MegatronRewriteOptions,
): Promise<MegatronRewriteReport> {
  const microBatch = requireInteger(options.microBatch ?? 1, "microBatch", 1);
  const { shape: base, placement, cost } = resolvePlacement(options);
  if (placement.changesStep) {
    throw new LibraError(
      "UNSUPPORTED",
      `Placement ${placement.name} repacks documents, and a cache has fixed samples. Take libra.`,
    );
  }
  const shape = { ...base, poolSize: base.poolSize * microBatch };
  const globalBatch = shape.pools * shape.poolSize * shape.microSteps;
  const consumed = requireInteger(options.consumedSamples ?? 0, "consumedSamples", 0);
  const cache = await findCache(options.cache);
  const target = await openTarget(cache, consumed, options);
  const samples = target.columns[0]!.values.length;
  const { window } = target;
  const dp = base.pools * base.poolSize;
  checkTraining(options, { dp, microSteps: base.microSteps, microBatch, window });
  if (samples - consumed < globalBatch) {
    const rest = Math.max(0, samples - consumed);
    throw misfit(cache.prefix, `${rest} samples do not fill a global batch of ${globalBatch}`);
  }
  const { order, ...placed } = placeInBatches(samples, target.segments, {
    shape,
    placement,
    cost,
    window,
    consumed,
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  const paths = options.dryRun ? [] : target.columns.map(({ path }) => path);
  const report: MegatronRewriteReport = Object.freeze({
    kind: cache.kind,
    samples,
    window,
    globalBatch,
    ...placed,
    written: paths,
    kept: paths.map(keptPath),
  });
  if (options.dryRun) return report;
  await writeColumns(target.columns, order);
  const { microSteps, poolSize, sync } = base;
  await writeRecord(`${cache.prefix}libra.json`, {
    ...report,
    configuration: {
      dp,
      microSteps,
      microBatch,
      poolSize,
      sync,
      placement: placement.name,
      consumed,
    },
  });
  return report;
}

function checkTraining(
  options: MegatronRewriteOptions,
  shape: { dp: number; microSteps: number; microBatch: number; window: number },
): void {
  if (options.trainingArguments !== undefined) {
    checkTrainingArguments(options.trainingArguments, shape);
  }
}
