import { linkClasses } from "@libra/topology";
import type { TilePlan } from "../plan/tile-plan.js";
import { type ClassBytes, type DescribeOptions, describePlan } from "./describe-plan.js";

/**
 * A plan as text: its totals, then a table with one line per worker. Columns "in" and "out" are
 * bytes by link class; a class that carries nothing is left out.
 */
export function explain(plan: TilePlan, options: DescribeOptions = {}): string {
  const description = describePlan(plan, options);
  const { reports, bytes, egress, ingress } = description;
  const mean = plan.total / plan.workers;
  const used = linkClasses.filter((name) => bytes[name] > 0);
  const header = ["worker", "load", "÷ mean", "tiles", "rows × heads"];
  for (const name of used) header.push(`${name} in`, `${name} out`);
  header.push("foreign", "peers");
  const timed = description.timeline !== undefined;
  if (timed) header.push("attention");
  const rows = reports.map((report) => {
    const cells = [
      `${report.worker}`,
      `${report.load}`,
      mean > 0 ? (report.load / mean).toFixed(4) : "-",
      `${report.tiles}`,
      `${report.held}`,
    ];
    for (const name of used) cells.push(size(report.bytesIn[name]), size(report.bytesOut[name]));
    cells.push(`${report.foreignSequences}`, `${report.peers}`);
    if (timed) cells.push(duration(report.seconds!));
    return cells;
  });
  const lines = [
    `${plan.planner}: ${plan.workers} workers, ${plan.count} tiles in ${plan.chunks} chunks, workerSkew ${plan.workerSkew.toFixed(4)} (bound ${plan.bound.toFixed(4)}), moved ${share(plan.moved)} (least ${share(plan.leastMoved)})`,
    `bytes: ${list(used, bytes)}; busiest worker out: ${list(used, egress)}; in: ${list(used, ingress)}; ${description.hops} hop${description.hops === 1 ? "" : "s"}`,
  ];
  if (description.timeline !== undefined) {
    const { seconds, exchange, exposed } = description.timeline;
    lines.push(
      `predicted: ${duration(seconds)}, of which ${duration(exposed)} not hidden; exchanges ${duration(exchange)}`,
    );
  }
  return `${[...lines, table([header, ...rows])].join("\n")}\n`;
}

const share = (value: number) => `${(100 * value).toFixed(1)} %`;

function list(names: readonly (keyof ClassBytes)[], bytes: ClassBytes): string {
  return names.map((name) => `${name} ${size(bytes[name])}`).join(", ") || "none";
}

function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

function duration(seconds: number): string {
  if (seconds >= 1) return `${seconds.toFixed(3)} s`;
  return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(3)} ms` : `${(seconds * 1e6).toFixed(1)} µs`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i]!)).join("  ")).join("\n");
}
