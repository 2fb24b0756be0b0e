import { join } from "node:path";
import Table from "cli-table3";
import pc from "picocolors";
import { loadConfig } from "../config/load-config.js";
import type { StrategyConfig, TrainConfig } from "../config/schema.js";
import { writeFileAtomic } from "../files/atomic.js";
import { loadCheckpoint, newestCheckpoint } from "../train/checkpoint.js";
import { type ReplayedStep, replay } from "../train/replay.js";
import type { StepRecord } from "../train/step-record.js";
import { attempt, type CommandOptions } from "./attempt.js";
import { openOutput } from "./output.js";
import { refuseLauncher } from "./refuse-launcher.js";
import { claimRunFolder } from "./run-folder.js";
import { trainConfigured } from "./train.js";

// Sizes that two cores train, and then replay, in well under three minutes.
const demoSettings = [
  "name=demo",
  "checkpoint.overwrite=true",
  "model.layers=3",
  "batch.window=8192",
];

const replayedSteps = 3;
const rounds = 2;

/** Draws no line between rows. */
const compact = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };

/**
 * The demonstration: trains two ranks that share attention in one pool, then runs recorded steps again
 * under `ulysses` and `libra` and prints what that changes.
 *
 * @param argv - `path=value` settings on top of the demonstration's
 * @returns exit code
 */
export async function runDemo(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<number> {
  return await attempt("libra demo", options, async ({ print, signal }) => {
    refuseLauncher(options.environment ?? process.env);
    const config = loadConfig(undefined, [...demoSettings, ...argv]);
    const output = openOutput(claimRunFolder(config), print);
    try {
      const { run, records, files } = await trainConfigured(
        config,
        output,
        options.listener ?? {},
        signal,
      );
      const start = loadCheckpoint(newestCheckpoint(run.runFolder)!, run.sizes);
      const steps = chooseSteps(records);
      output.line(
        `replay: forward and backward of steps ${steps.map(({ step }) => step).join(", ")} with the trained weights, ${rounds} rounds in turn, the quicker counts`,
      );
      const places = steps.map(({ epoch, epochStep }) => ({ epoch, step: epochStep }));
      const results = await replay({ ...run, start }, places, strategiesOf(config), rounds, signal);
      for (const line of tableOf(steps, results).split("\n")) output.line(line);
      const path = join(run.runFolder, "replay.json");
      writeFileAtomic(path, [`${JSON.stringify(results, undefined, 2)}\n`]);
      output.line(`wrote ${[...files, path].join(", ")}`);
    } finally {
      output.close();
    }
  });
}

/** The same step without Libra and with it; nothing else differs. */
function strategiesOf({ strategy }: TrainConfig): StrategyConfig[] {
  return [
    { ...strategy, planner: "ulysses" },
    { ...strategy, planner: "libra" },
  ];
}

/** Steps spread evenly over the run, the last one included. */
function chooseSteps(records: readonly StepRecord[]): StepRecord[] {
  const count = Math.min(replayedSteps, records.length);
  return Array.from(
    { length: count },
    (_, i) => records[Math.floor(((i + 1) * records.length) / count) - 1]!,
  );
}

function tableOf(steps: readonly StepRecord[], results: readonly ReplayedStep[][]): string {
  const table = new Table({
    head: ["step", "planner", "loss", "attention critical path", "skew", "wait, most", "speed-up"],
    style: { head: [], border: [] },
    chars: compact,
  });
  const totals = [0, 0];
  for (const [index, [ulysses, libra]] of results.entries()) {
    totals[0]! += ulysses!.attention.max;
    totals[1]! += libra!.attention.max;
    table.push(
      rowOf(`${steps[index]!.step}`, ulysses!, ""),
      rowOf("", libra!, ratio(ulysses!.attention.max, libra!.attention.max)),
    );
  }
  table.push(
    ["all", "ulysses", "", `${totals[0]!.toFixed(0)} ms`, "", "", ""],
    [
      "",
      "libra",
      "",
      `${totals[1]!.toFixed(0)} ms`,
      "",
      "",
      pc.bold(ratio(totals[0]!, totals[1]!)),
    ],
  );
  const apart = results.map(([ulysses, libra]) => Math.abs(ulysses!.loss - libra!.loss));
  return [
    table.toString(),
    "Attention critical path: busy CPU time of attention on the busiest thread of the slowest rank.",
    `Greatest difference of the losses: ${Math.max(...apart)}.`,
  ].join("\n");
}

function rowOf(step: string, result: ReplayedStep, speedUp: string): string[] {
  return [
    step,
    result.planner,
    result.loss.toFixed(6),
    `${result.attention.max.toFixed(0)} ms`,
    result.skew.toFixed(3),
    `${result.wait.max.toFixed(0)} ms`,
    speedUp,
  ];
}

function ratio(before: number, after: number): string {
  return `${(before / after).toFixed(2)} ×`;
}
