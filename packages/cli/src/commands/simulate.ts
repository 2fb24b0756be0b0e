import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expected, LibraError } from "@libra/base";
import { openLengths, readLengths, type SourceOptions } from "@libra/sampler";
import {
  type CompareOptions,
  type Comparison,
  clusterByName,
  compare,
  gainByWindow,
  presetModel,
  readCluster,
  readModel,
  requireStrategy,
  simulationData,
  standInLengths,
  type WindowGain,
} from "@libra/simulator";
import type { Command } from "commander";
import type { Io } from "../io.js";
import { progressOf } from "../plan/progress.js";
import { whole } from "../plan/table.js";
import { simulateHelp } from "./simulate-help.js";
import { addSimulateOptions, type SimulateCommandOptions } from "./simulate-options.js";
import { comparisonTable } from "./simulate-table.js";

/** `libra simulate`: what would each strategy give on a cluster? */
export function addSimulate(program: Command, io: Io): void {
  const command = program
    .command("simulate")
    .description("simulate training on a cluster: every strategy at its best, and what to run")
    .addHelpText("after", simulateHelp);
  addSimulateOptions(command);
  command.action(async (options: SimulateCommandOptions) => {
    const corpus = await readCorpus(options, io);
    const progress = progressOf("simulations", io);
    let comparison: Comparison;
    let gains: WindowGain[] = [];
    try {
      const compared = compareOptions(options, corpus.lengths, progress.update);
      comparison = compare(compared);
      const { recommendation } = comparison;
      if (options.windows)
        gains = gainByWindow({ ...compared, ...oneLayout(recommendation.choice) });
    } finally {
      progress.stop();
    }
    const text = options.json
      ? `${JSON.stringify(asData(comparison, gains, options))}\n`
      : comparisonTable(comparison, gains, factsOf(options, corpus), io.colors);
    io.out(text);
  });
}

interface Corpus {
  readonly name: string;
  readonly lengths: Uint32Array;
}

async function readCorpus(options: SimulateCommandOptions, io: Io): Promise<Corpus> {
  const { lengths: paths, standIn, format, column, seed } = options;
  if ((paths === undefined) === (standIn !== true)) {
    throw expected("one of --lengths and --stand-in", "the corpus", paths ? "both" : "neither");
  }
  if (paths === undefined) {
    const lengths = standInLengths({ documents: 400_000, seed });
    return { name: `made up: lognormal, median 644, σ 2.02, seed ${seed}`, lengths };
  }
  const wanted = Object.entries({ format, column }).filter(([, value]) => value !== undefined);
  const source = await openLengths(paths, Object.fromEntries(wanted) as SourceOptions);
  const progress = progressOf("documents", io);
  try {
    const lengths = await readLengths(source, { onProgress: progress.update });
    return { name: `${source.path} (${source.format})`, lengths };
  } finally {
    progress.stop();
  }
}

function compareOptions(
  options: SimulateCommandOptions,
  lengths: Uint32Array,
  onProgress: (done: number, total: number) => void,
): CompareOptions {
  const { pools, tolerances, chunks, gpus, cp, globalBatch, experts, ...rest } = options;
  const candidates = Object.entries({ pools, tolerances, chunks }).filter(([, list]) => list);
  return {
    lengths,
    model: isFile(rest.model)
      ? inFile(rest.model, () => readModel(textOf(rest.model)))
      : presetModel(rest.model),
    cluster: isFile(rest.cluster)
      ? inFile(rest.cluster, () => readCluster(textOf(rest.cluster), profileBeside(rest.cluster)))
      : clusterByName(rest.cluster),
    window: rest.window,
    gpus: gpus[0]!,
    cp: cp[0]!,
    ...(gpus.length > 1 ? { worlds: gpus, gpus: Math.max(...gpus) } : {}),
    ...(cp.length > 1 ? { cps: cp } : {}),
    tp: rest.tp,
    pp: rest.pp,
    parts: rest.parts,
    ...(globalBatch === undefined ? {} : { globalBatch }),
    expertParallel: experts,
    sharding: rest.sharding,
    recompute: rest.recompute,
    jitter: rest.jitter,
    overlong: rest.overlong,
    steps: rest.steps,
    seed: rest.seed,
    strategies: rest.strategies.map(requireStrategy),
    candidates: Object.fromEntries(candidates),
    onProgress,
  };
}

// The layout that was chosen, alone: shorter windows are looked at in it.
function oneLayout({ layout, microSteps }: Comparison["rows"][number]) {
  const { gpus, cp, dp } = layout;
  return { gpus, cp, globalBatch: microSteps * dp };
}

function isFile(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The texts of files that a cluster file names, seen from its folder. */
function profileBeside(file: string): (path: string) => string {
  return (path) => textOf(resolve(dirname(file), path));
}

/** What is wrong in a file, with its name in front. */
function inFile<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof LibraError) || cause instanceof UnreadableFile) throw cause;
    throw new LibraError(cause.code, `${path}: ${cause.message}`, { cause });
  }
}

class UnreadableFile extends LibraError {}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new UnreadableFile("ARGUMENT", `${path}: cannot be read (${code})`, { cause });
  }
}

function asData(comparison: Comparison, gains: WindowGain[], options: SimulateCommandOptions) {
  const { rows, refused, recommendation } = comparison;
  return {
    version: 1,
    options,
    rows: rows.map(simulationData),
    refused,
    gains: gains.map(({ window, cp, dp, overPlain, overWlb, libra }) => ({
      window,
      cp,
      dp,
      overPlain,
      overWlb,
      pool: libra.settings.pool,
    })),
    recommendation: {
      choice: rows.indexOf(recommendation.choice),
      fastest: rows.indexOf(recommendation.fastest),
      reasons: recommendation.reasons,
    },
  };
}

function factsOf(options: SimulateCommandOptions, { name, lengths }: Corpus): [string, string][] {
  let longest = 0;
  let beyond = 0;
  for (const length of lengths) {
    longest = Math.max(longest, length);
    if (length > options.window) beyond++;
  }
  return [
    ["corpus", name],
    ["documents", `${whole(lengths.length)}, longest ${whole(longest)}`],
    ["beyond the window", `${whole(beyond)} (${options.overlong})`],
    ["model, cluster", `${options.model}, ${options.cluster}`],
    ["window", `${whole(options.window)}, concatSplit, seed ${options.seed}`],
    ["steps", `${options.steps}, sharding ${options.sharding}, jitter ${options.jitter}`],
  ];
}
