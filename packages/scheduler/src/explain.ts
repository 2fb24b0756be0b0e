import { exchangeProgram } from "./exchange.js";
import type { TilePlan } from "./tile-plan.js";

/** What one worker of a plan does. */
export interface WorkerReport {
  readonly worker: number;
  /** Planning cost of its tiles. */
  readonly load: number;
  readonly tiles: number;
  /** Rows × heads of queries it holds. */
  readonly held: number;
  /** Vectors of query heads that come from other workers (as many outputs go back). */
  readonly queryIn: number;
  readonly queryOut: number;
  /** Vectors of KV heads that come from other workers; K and V are two each. */
  readonly keyIn: number;
  readonly keyOut: number;
  /** Sequences of other groups it works on. */
  readonly foreignSequences: number;
  /** Other workers it exchanges with. */
  readonly peers: number;
}

/** Reports every worker of a plan. */
export function reportWorkers(plan: TilePlan): WorkerReport[] {
  return Array.from({ length: plan.workers }, (_, worker) => {
    const program = exchangeProgram(plan, worker);
    const { sentQuery, receivedQuery, sentKey, receivedKey } = program.vectors;
    const others = (vectors: Float64Array) =>
      vectors.reduce((sum, value, peer) => (peer === worker ? sum : sum + value), 0);
    const home = Math.floor(worker / plan.cp);
    const sequences = new Set(Array.from(program.tiles, (t) => plan.sequence[t]!));
    sequences.delete(home);
    let peers = 0;
    for (let p = 0; p < plan.workers; p++) {
      const crossing = sentQuery[p]! + receivedQuery[p]! + sentKey[p]! + receivedKey[p]!;
      if (p !== worker && crossing > 0) peers++;
    }
    return {
      worker,
      load: plan.loads[worker]!,
      tiles: program.tiles.length,
      held: program.buffers.stagingQuery,
      queryIn: others(receivedQuery),
      queryOut: others(sentQuery),
      keyIn: others(receivedKey),
      keyOut: others(sentKey),
      foreignSequences: sequences.size,
      peers,
    };
  });
}

/** A plan as text: one line of totals, then a table with one line per worker. */
export function explain(plan: TilePlan): string {
  const mean = plan.total / plan.workers;
  const share = (value: number) => `${(100 * value).toFixed(1)} %`;
  const header = ["worker", "load", "÷ mean", "tiles", "rows × heads"];
  header.push("q in", "q out", "k in", "k out", "foreign", "peers");
  const rows = reportWorkers(plan).map((report) => [
    `${report.worker}`,
    `${report.load}`,
    mean > 0 ? (report.load / mean).toFixed(4) : "-",
    `${report.tiles}`,
    `${report.held}`,
    `${report.queryIn}`,
    `${report.queryOut}`,
    `${report.keyIn}`,
    `${report.keyOut}`,
    `${report.foreignSequences}`,
    `${report.peers}`,
  ]);
  const title = `${plan.planner}: ${plan.workers} workers, ${plan.count} tiles, workerSkew ${plan.workerSkew.toFixed(4)} (bound ${plan.bound.toFixed(4)}), moved ${share(plan.moved)} (least ${share(plan.leastMoved)})`;
  return `${title}\n${table([header, ...rows])}\n`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i]!)).join("  ")).join("\n");
}
