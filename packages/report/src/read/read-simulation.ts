import { LibraError } from "@libra/base";
import type { SimulationData, StepData } from "@libra/simulator";
import { JsonRecord } from "./json-record.js";

/** Simulations of one scenario, and what was concluded from them. */
export interface SimulationSet {
  readonly name: string;
  /** What was simulated, as it was asked for: model and cluster. */
  readonly scenario: readonly { readonly label: string; readonly value: string }[];
  /** At least one. */
  readonly rows: readonly SimulationData[];
  /** Position in `rows` of what is recommended. */
  readonly choice?: number;
  readonly reasons: readonly string[];
  /** Strategies that a layout cannot run. */
  readonly refused: readonly string[];
  /** What Libra brings at shorter windows: speed over plain packing; 1: nothing. */
  readonly gains: readonly WindowSpeedUp[];
}

/** Speed of Libra at one window, over other strategies at the same one; 1: nothing gained. */
export interface WindowSpeedUp {
  /** Tokens. */
  readonly window: number;
  /** Over plain packing. */
  readonly overPlain: number;
  /** Over WLB-LLM, where that was simulated. */
  readonly overWlb?: number;
}

const parts = ["attention", "linear", "workers", "exchange", "pools", "update"] as const;
const figures = [
  "window",
  "microSteps",
  "seconds",
  "tokensPerSecond",
  "tokensPerGpuSecond",
  "utilisation",
  "workerSkew",
  "stepSkew",
  "arrivalSkew",
  "moved",
] as const;

/**
 * Reads what `libra simulate --json` prints: one simulation, a list, or an object with `rows`.
 *
 * @param value - parsed JSON
 * @throws LibraError `FORMAT` that names the first value that is missing or wrong
 */
export function readSimulation(value: unknown, name: string): SimulationSet {
  if (Array.isArray(value)) return setOf(name, value);
  const root = new JsonRecord(value, name);
  if (!root.has("rows") && root.has("strategy")) return setOf(name, [value]);
  if (!root.has("rows")) {
    throw new LibraError(
      "FORMAT",
      `${name} is not what libra simulate --json prints: rows is missing`,
    );
  }
  const set = setOf(name, root.list("rows"));
  const extras = { ...recommendationOf(root, set.rows) };
  const refused = root.has("refused")
    ? root.records("refused").map((entry) => `${entry.text("strategy")}: ${entry.text("reason")}`)
    : [];
  const gains = root.has("gains") ? root.records("gains").map(gainOf) : [];
  return { ...set, ...extras, scenario: scenarioOf(root), refused: [...new Set(refused)], gains };
}

function setOf(name: string, values: readonly unknown[]): SimulationSet {
  if (values.length === 0) throw new LibraError("FORMAT", `${name} holds no simulation`);
  values.forEach((value, i) => {
    checkRow(new JsonRecord(value, `${name}: rows[${i}]`));
  });
  const rows = values as SimulationData[];
  return { name, scenario: [], rows, reasons: [], refused: [], gains: [] };
}

function scenarioOf(root: JsonRecord): SimulationSet["scenario"] {
  if (!root.has("options")) return [];
  const options = root.record("options");
  return ["model", "cluster"].flatMap((label) =>
    options.has(label) ? [{ label, value: options.text(label) }] : [],
  );
}

function checkRow(row: JsonRecord): void {
  row.text("strategy");
  row.record("settings");
  for (const key of figures) row.number(key);
  const layout = row.record("layout");
  for (const key of ["tp", "cp", "dp", "pp", "gpus"]) layout.number(key);
  const breakdown = row.record("breakdown");
  for (const key of parts) breakdown.number(key);
  const places = layout.number("cp") * layout.number("dp") * layout.number("pp");
  const steps = row.records("steps");
  if (steps.length === 0) throw new LibraError("FORMAT", `${row.where}.steps is empty`);
  for (const step of steps) checkStep(step, places);
}

function checkStep(step: JsonRecord, places: number): void {
  step.number("seconds");
  step.number("backwardEnd");
  const pools = step.records("pools");
  for (const pool of pools) {
    pool.numbers("positions");
    pool.number("microStep");
    pool.number("slowest");
  }
  const busy = step.record("busy");
  for (const kind of ["attention", "linear"]) busy.numbers(kind, places);
  for (const span of step.records("spans")) {
    for (const key of ["stage", "pool", "start", "end"]) span.number(key);
    const pool = span.number("pool");
    if (!(pool in pools)) {
      throw new LibraError("FORMAT", `${span.where}.pool: there is no pool ${pool}`);
    }
  }
}

function recommendationOf(
  root: JsonRecord,
  rows: readonly SimulationData[],
): Partial<Pick<SimulationSet, "choice" | "reasons">> {
  if (!root.has("recommendation")) return {};
  const recommendation = root.record("recommendation");
  const reasons = recommendation.list("reasons").map(String);
  if (!recommendation.has("choice")) return { reasons };
  // The choice is told by its position, or by what it is.
  const raw = recommendation.raw("choice");
  const choice = typeof raw === "number" ? raw : findRow(rows, raw as SimulationData);
  return choice in rows ? { choice, reasons } : { reasons };
}

function findRow(rows: readonly SimulationData[], wanted: SimulationData): number {
  const key = ({ strategy, settings, layout }: SimulationData) =>
    JSON.stringify([strategy, settings, layout]);
  return rows.findIndex((row) => key(row) === key(wanted));
}

function gainOf(entry: JsonRecord): WindowSpeedUp {
  const window = entry.number("window");
  const overPlain = entry.number("overPlain");
  return entry.has("overWlb")
    ? { window, overPlain, overWlb: entry.number("overWlb") }
    : { window, overPlain };
}

/** The step that is nearest to the mean: what is drawn of a simulation. */
export function typicalStep({ steps, seconds }: SimulationData): StepData {
  return steps.reduce((best, step) =>
    Math.abs(step.seconds - seconds) < Math.abs(best.seconds - seconds) ? step : best,
  );
}
