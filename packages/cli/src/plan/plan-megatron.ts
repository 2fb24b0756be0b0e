import {
  type MegatronRewriteReport,
  rewriteMegatronCache,
  type SamplerOptions,
} from "@libra/sampler";
import type { Io } from "../io.js";
import { UsageError } from "../usage-error.js";
import type { PlanOptions } from "./plan-options.js";
import { progressOf } from "./progress.js";
import { readCost } from "./read-cost.js";
import { table, whole } from "./table.js";

/** `libra plan --megatron-cache`: rewrites the cache and reports. */
export async function planMegatron(
  cache: string,
  trainingArguments: readonly string[],
  options: PlanOptions,
  io: Io,
): Promise<void> {
  const { dp, microSteps, microBatch, poolSize, sync, stages, data, dataRoot, consumedSamples } =
    options;
  if (poolSize === "auto") {
    throw new UsageError(
      "Expected a number with --megatron-cache for --pool-size but received auto",
    );
  }
  const progress = progressOf("global batches", io);
  let report: MegatronRewriteReport;
  try {
    report = await rewriteMegatronCache({
      cache,
      dp,
      microSteps,
      microBatch,
      poolSize,
      sync,
      consumedSamples,
      placement: options.placement as NonNullable<SamplerOptions["placement"]>,
      dryRun: options.dryRun ?? false,
      onProgress: progress.update,
      ...(stages === undefined ? {} : { stages }),
      ...(options.profile === undefined ? {} : { cost: await readCost(options.profile) }),
      ...(data === undefined ? {} : { data }),
      ...(dataRoot === undefined ? {} : { dataRoot }),
      ...(trainingArguments.length === 0 ? {} : { trainingArguments }),
    });
  } finally {
    progress.stop();
  }
  io.out(options.json ? `${JSON.stringify(report)}\n` : megatronTable(report));
  if (trainingArguments.length === 0) {
    io.error(
      "note: train with --reset-attention-mask and --dataloader-type single, without batch-size ramp-up; put Megatron's arguments after -- and they are checked\n",
    );
  }
}

function megatronTable(report: MegatronRewriteReport): string {
  const { samples, window, globalBatch, batches, left, before, after, bound } = report;
  const skew = (name: string, { mean, worst }: { mean: number; worst: number }) => [
    name,
    mean.toFixed(3),
    worst.toFixed(3),
  ];
  const facts = table(undefined, [
    ["samples", `${whole(samples)} of ${whole(window)} tokens (${report.kind})`],
    ["batches", `${whole(batches)} of ${whole(globalBatch)}; ${whole(left)} samples left in place`],
  ]);
  const skews = table(
    ["skew (slowest ÷ mean)", "mean", "worst"],
    [skew("before", before), skew("after", after), skew("bound", bound)],
  );
  const files =
    report.written.length === 0
      ? "nothing written (dry run)"
      : `wrote ${report.written.join(", ")}\nkept ${report.kept.join(", ")}`;
  return `${facts}\n${skews}\n${files}\n`;
}
