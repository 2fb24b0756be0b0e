import { createColors } from "picocolors";
import type { Spread } from "../plan/spread.js";
import { table, whole } from "../plan/table.js";
import type { TileSummary } from "./tile-summary.js";

/** The tile plans for people: figures over all pools, then the table of workers of some. */
export function tileText(summary: TileSummary, tables: readonly string[], colors: boolean): string {
  const { planner, heads, hops, cluster, ranksPerNode, skew, plans } = summary;
  const { bold, dim } = createColors(colors);
  const row = (name: string, { mean, p95, worst }: Spread, show: (value: number) => string) => [
    name,
    show(mean),
    show(p95),
    show(worst),
  ];
  const figures = table(
    [`${planner}, ${whole(plans.length)} plans`, "mean", "p95", "worst"],
    [
      row("workerSkew (busiest ÷ mean of a pool)", skew.worker, ratio),
      row("bound (no plan of its kind is below)", skew.bound, ratio),
      row("skew over all ranks", skew.world, ratio),
      row("work moved", summary.moved, share),
      row("least that balance has to move", summary.leastMoved, share),
      row("predicted time", summary.seconds, milliseconds),
      row("of it not hidden by attention", summary.exposed, milliseconds),
    ],
  );
  const facts = `${heads.queryHeads} query and ${heads.kvHeads} KV heads of ${heads.headDim}, ${cluster}, ${ranksPerNode} ranks a node, ${hops === 1 ? "1 hop" : "2 hops"}; one forward pass of one layer`;
  const lines = [figures, dim(facts)];
  if (plans.length > tables.length) lines.push(bold("The slowest:"));
  return `${[...lines, ...tables].join("\n").trimEnd()}\n`;
}

const ratio = (value: number) => value.toFixed(4);
const share = (value: number) => `${(100 * value).toFixed(1)} %`;
const milliseconds = (value: number) => `${(1e3 * value).toFixed(3)} ms`;
