import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { LibraError } from "@libra/base";
import { JsonRecord, parseJson } from "./json-record.js";

/** Where a rank's time goes in a training run. */
const phases = ["attention", "exchange", "wait", "other"] as const;
/** One part of a rank's step. */
export type Phase = (typeof phases)[number];

/** Milliseconds over ranks. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Rank of the greatest. */
  readonly worst: number;
}

/** One line of metrics.jsonl. */
export interface RunStep extends Readonly<Record<Phase, Spread>> {
  readonly step: number;
  readonly loss: number;
  readonly milliseconds: number;
  readonly tokens: number;
  readonly tokensPerSecond: number;
  readonly skewBefore: number;
  readonly skewAfter: number;
  /** Milliseconds of every rank, where the run wrote them. */
  readonly ranks?: Readonly<Record<Phase, readonly number[]>>;
}

/** How a run was laid out. */
export interface RunLayout {
  readonly dp: number;
  readonly cp: number;
  readonly poolSize: number;
  readonly sequences: number;
  readonly window: number;
  readonly planner: string;
}

/** A strategy's attention on steps that ran again under each. */
export interface ReplayedTimes {
  readonly step: number;
  readonly planner: string;
  /** Milliseconds: busy time on the slowest rank. */
  readonly attention: number;
  readonly skew: number;
}

/** A runs folder of the trainer. */
export interface RunData {
  readonly name: string;
  /** By step, each once: where a resumed run repeats steps, the last counts. */
  readonly steps: readonly RunStep[];
  readonly layout?: RunLayout;
  readonly replay: readonly ReplayedTimes[];
  /** What the folder lacks. */
  readonly notes: readonly string[];
}

/**
 * Reads a runs folder: metrics.jsonl must be there; log.jsonl (layout) and replay.json (the
 * demonstration's comparison) add to it.
 *
 * @throws LibraError `FORMAT` that names the file, the line and what is missing or cut off
 */
export function readRun(folder: string): RunData {
  const path = join(folder, "metrics.jsonl");
  if (!existsSync(path)) {
    throw new LibraError(
      "FORMAT",
      `${folder} is no complete run: metrics.jsonl is missing (libra train writes it)`,
    );
  }
  const steps = readSteps(path);
  if (steps.length === 0) {
    throw new LibraError(
      "FORMAT",
      `${folder} is no complete run: metrics.jsonl has no steps, so the run ended before its first`,
    );
  }
  const layout = readLayout(join(folder, "log.jsonl"));
  const notes =
    layout === undefined
      ? ["log.jsonl does not tell the run's layout, so dp and pool size are unknown."]
      : [];
  const replay = readReplay(join(folder, "replay.json"));
  const name = basename(resolve(folder));
  return { name, steps, ...(layout === undefined ? {} : { layout }), replay, notes };
}

function readSteps(path: string): RunStep[] {
  const byStep = new Map<number, RunStep>();
  const lines = readFileSync(path, "utf8").split("\n");
  lines.forEach((line, i) => {
    if (line.trim() === "") return;
    const where = `${path} line ${i + 1}`;
    const last = lines.slice(i + 1).every((rest) => rest.trim() === "");
    let value: unknown;
    try {
      value = parseJson(line, where);
    } catch (error) {
      if (!last) throw error;
      throw new LibraError("FORMAT", `${where} is cut off: the run ended while it wrote`, {
        cause: error,
      });
    }
    const step = stepOf(new JsonRecord(value, where));
    byStep.set(step.step, step);
  });
  return [...byStep.values()].sort((a, b) => a.step - b.step);
}

function stepOf(record: JsonRecord): RunStep {
  const number = (key: string) => record.number(key);
  const spreads = Object.fromEntries(phases.map((phase) => [phase, spreadOf(record, phase)]));
  return {
    step: number("step"),
    loss: number("loss"),
    milliseconds: number("milliseconds"),
    tokens: number("tokens"),
    tokensPerSecond: number("tokensPerSecond"),
    skewBefore: number("skewBefore"),
    skewAfter: number("skewAfter"),
    ...(spreads as Record<Phase, Spread>),
    ...(record.has("ranks") ? { ranks: ranksOf(record.record("ranks")) } : {}),
  };
}

function spreadOf(record: JsonRecord, phase: Phase): Spread {
  const spread = record.record(phase);
  const [min, median, max, worst] = (["min", "median", "max", "worst"] as const).map((key) =>
    spread.number(key),
  ) as [number, number, number, number];
  return { min, median, max, worst };
}

function ranksOf(record: JsonRecord): Record<Phase, number[]> {
  const count = record.numbers("attention").length;
  return Object.fromEntries(phases.map((phase) => [phase, record.numbers(phase, count)])) as Record<
    Phase,
    number[]
  >;
}

const layoutLine =
  /^ranks: dp (\d+) × cp (\d+), pools of (\d+) replicas; (\d+) packed sequences of (\d+) tokens a step; planner (\w+)/;

// The log is for people; only the line that tells the layout is read, and a log without it is no error.
function readLayout(path: string): RunLayout | undefined {
  if (!existsSync(path)) return undefined;
  for (const line of readFileSync(path, "utf8").split("\n").reverse()) {
    const match = layoutLine.exec(messageOf(line));
    if (match === null) continue;
    const [dp, cp, poolSize, sequences, window] = match.slice(1, 6).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return { dp, cp, poolSize, sequences, window, planner: match[6]! };
  }
  return undefined;
}

function messageOf(line: string): string {
  try {
    return String((JSON.parse(line) as { msg?: unknown }).msg ?? "");
  } catch {
    return "";
  }
}

function readReplay(path: string): ReplayedTimes[] {
  if (!existsSync(path)) return [];
  const value = parseJson(readFileSync(path, "utf8"), path);
  const list = new JsonRecord({ steps: value }, path).list("steps");
  return list.flatMap((results, i) =>
    new JsonRecord({ results }, `${path}: step ${i}`).records("results").map((result) => ({
      step: result.number("step"),
      planner: result.text("planner"),
      attention: result.record("attention").number("max"),
      skew: result.number("skew"),
    })),
  );
}
