import { join } from "node:path";
import { poolSizeOf } from "../config/pool-size.js";
import type { TrainConfig } from "../config/schema.js";
import { lengthsOf } from "../data/documents.js";
import { corpusSkew } from "../metrics/arrival.js";
import { cutJsonLines, type JsonLines, openJsonLines } from "../metrics/json-lines.js";
import { PhaseHistory } from "../metrics/phase-history.js";
import { percentile } from "../metrics/spread.js";
import { parameterCount } from "../model/parameter-shapes.js";
import { describeMemory } from "../train/attention-memory.js";
import { type PreparedRun, prepareRun } from "../train/prepare.js";
import { samplerFor } from "../train/step-layout.js";
import { describeStep, type StepRecord } from "../train/step-record.js";
import { type TrainListener, train } from "../train/train.js";
import { parseTrainArguments, usage } from "./arguments.js";
import { attempt, type CommandOptions } from "./attempt.js";
import { type Output, openOutput } from "./output.js";
import { refuseLauncher } from "./refuse-launcher.js";
import { claimRunFolder, removeCheckpoints } from "./run-folder.js";

/** What a finished run leaves. */
export interface FinishedRun {
  readonly run: PreparedRun;
  readonly records: readonly StepRecord[];
  readonly files: readonly string[];
}

/**
 * `libra train`: trains as a configuration says.
 *
 * @param argv - arguments after the word `train`
 * @returns exit code: 0; 1 after an error, 2 after wrong usage, which have been printed
 */
export async function runTrain(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<number> {
  return await attempt("libra train", options, async ({ print, signal }) => {
    const config = parseTrainArguments(argv);
    if (config === undefined) {
      print(usage);
      return;
    }
    refuseLauncher(options.environment ?? process.env);
    const output = openOutput(claimRunFolder(config), print);
    try {
      const { files } = await trainConfigured(config, output, options.listener ?? {}, signal);
      output.line(`wrote ${files.join(", ")}`);
    } finally {
      output.close();
    }
  });
}

/** Prepares, trains and reports; metrics go to RUN/metrics.jsonl. */
export async function trainConfigured(
  config: TrainConfig,
  output: Output,
  listener: TrainListener,
  signal: AbortSignal,
): Promise<FinishedRun> {
  const run = await prepareRun(config, output, signal);
  describeRun(run, output);
  if (!config.checkpoint.resume && config.checkpoint.overwrite) removeCheckpoints(run.runFolder);
  const metrics = openMetrics(run);
  const files = [metrics.path, join(run.runFolder, "log.jsonl"), ...run.corpusFiles];
  const history = new PhaseHistory();
  const records: StepRecord[] = [];
  try {
    await train(
      run,
      {
        ...listener,
        step(record, times) {
          metrics.write({ ...record });
          history.add(times);
          records.push(record);
          output.line(describeStep(record, config.steps));
          listener.step?.(record, times);
        },
        memory(memory) {
          output.line(describeMemory(memory));
          listener.memory?.(memory);
        },
        checkpoint(folder) {
          files.push(folder);
          listener.checkpoint?.(folder);
        },
      },
      signal,
    );
  } finally {
    metrics.close();
  }
  describeTimes(records, history, output);
  return { run, records, files };
}

/** A run that stopped after its newest checkpoint does the steps since then again: they are cut off. */
function openMetrics({ config, runFolder, start }: PreparedRun): JsonLines {
  const path = join(runFolder, "metrics.jsonl");
  if (config.checkpoint.resume) cutJsonLines(path, ({ step }) => Number(step) <= start.step);
  return openJsonLines(path, config.checkpoint.resume);
}

function describeRun({ config, sizes, documents, start }: PreparedRun, output: Output): void {
  const { dp, cp } = config.layout;
  const { window, microSteps } = config.batch;
  const sampler = samplerFor(config, lengthsOf(documents));
  const { skew, steps } = corpusSkew(sampler);
  const epochs = config.steps / sampler.stepsPerEpoch;
  const millions = (parameterCount(sizes) / 1e6).toFixed(2);
  output.line(
    `model: ${millions} M parameters, ${sizes.layers} layers, ${sizes.queryHeads} query and ${sizes.kvHeads} KV heads of ${sizes.headDim}, ${sizes.vocabulary} ids, ${config.dtype}`,
  );
  output.line(
    `ranks: dp ${dp} × cp ${cp}, pools of ${poolSizeOf(config)} replicas; ${dp * microSteps} packed sequences of ${window} tokens a step; planner ${config.strategy.planner}`,
  );
  output.line(
    `corpus: Σmax ÷ Σmean of attention work over replicas is ${skew.toFixed(3)} (${steps} steps in arrival order)`,
  );
  if (start.step >= config.steps) {
    output.line(
      `steps: ${start.step} are done and steps is ${config.steps}, so none are left; raise steps to go on`,
    );
    return;
  }
  output.line(
    `steps: ${start.step} to ${config.steps}; an epoch has ${sampler.stepsPerEpoch}, so this is ${epochs.toFixed(2)} epochs`,
  );
}

function describeTimes(
  records: readonly StepRecord[],
  history: PhaseHistory,
  output: Output,
): void {
  if (records.length === 0) return;
  const times = records.map(({ milliseconds }) => milliseconds);
  const at = (percent: number) => percentile(times, percent).toFixed(0);
  output.line(`time of a step: p50 ${at(50)}, p90 ${at(90)}, p99 ${at(99)}, max ${at(100)} ms`);
  for (const { phase, min, median, max, worst, chronic } of history.report()) {
    const always = chronic > 1.2 ? `, for long (smoothed ${chronic.toFixed(2)} × the median)` : "";
    output.line(
      `${phase}: least ${min.toFixed(1)}, median ${median.toFixed(1)}, greatest ${max.toFixed(1)} ms a step on rank ${worst}${always}`,
    );
  }
}
