import type { PoolSizeChoice } from "@libra/sampler";
import Table from "cli-table3";
import { createColors } from "picocolors";
import type { Spread } from "./spread.js";
import type { PlanSummary } from "./summary.js";

/** The summary for people. */
export function summaryTable(summary: PlanSummary, colors: boolean): string {
  const { corpus, configuration, packing, steps, skew, fillers, files } = summary;
  const { bold, dim } = createColors(colors);
  const skews = table(
    ["skew (slowest ÷ mean)", "mean", "p95", "worst"],
    [
      row("before (arrival order)", skew.before),
      row(bold(`after (${configuration.placement})`), skew.after),
      row("bound (no placement is below)", skew.bound),
    ],
  );
  const facts = table(undefined, [
    [
      "documents",
      `${whole(corpus.documents)} (${corpus.format}), longest ${whole(corpus.longest)}`,
    ],
    ["tokens", whole(corpus.tokens)],
    [
      "packing",
      `${packing.packing}, window ${whole(configuration.window)}, seed ${configuration.seed}`,
    ],
    ["sequences", `${whole(packing.sequences)}, ${whole(packing.segments)} segments`],
    ["dropped", counted(packing.dropped, packing.droppedTokens)],
    ["truncated", counted(packing.truncated, packing.truncatedTokens)],
    ["split", `${whole(packing.split)} documents`],
    ["empty", `${whole(packing.empty)} documents`],
    ["padding", `${whole(packing.padding)} tokens; ${whole(packing.unused)} unused`],
    [
      "pools",
      `${configuration.pools} × ${configuration.poolSize} replicas (dp ${configuration.dp}), sync: ${configuration.sync}`,
    ],
    [
      "steps",
      `${whole(steps.planned)} planned of ${whole(steps.inEpoch)} in epoch ${configuration.epoch}, ${configuration.microSteps} micro-steps each${fillers > 0 ? `, ${fillers} fillers` : ""}`,
    ],
  ]);
  const { repacked, poolSizeChoice } = summary;
  const choice = poolSizeChoice === undefined ? [] : [poolSizeTable(poolSizeChoice)];
  const lines = [facts, ...choice, skews, ...corpus.notes.map((note) => dim(`note: ${note}`))];
  if (repacked !== undefined) {
    lines.push(
      `the placement changed the steps: ${whole(repacked.delayedDocuments)} documents came late, by ${whole(repacked.delaySteps)} steps together; ${whole(repacked.extraTokens)} tokens above windows`,
    );
  }
  if (files.length > 0) lines.push(`wrote ${files.join(", ")}`);
  return `${lines.join("\n")}\n`;
}

function poolSizeTable({ candidates, reason }: PoolSizeChoice): string {
  const rows = candidates.map(({ poolSize, mean, p95, worst, bound, moved, meetsTarget }) => [
    String(poolSize),
    mean.toFixed(3),
    `${p95.toFixed(3)}${meetsTarget ? " ok" : ""}`,
    worst.toFixed(3),
    bound.toFixed(3),
    `${(100 * moved).toFixed(0)} %`,
  ]);
  const head = ["pool size", "mean skew", "p95", "worst", "bound", "moved"];
  return `${table(head, rows)}\n${reason}`;
}

/** A plain table, with or without a line of headings. */
export function table(head: string[] | undefined, rows: string[][]): string {
  const made = new Table({ ...(head ? { head } : {}), style: { head: [], border: [] } });
  made.push(...rows);
  return made.toString();
}

function row(name: string, { mean, p95, worst }: Spread): string[] {
  return [name, mean.toFixed(3), p95.toFixed(3), worst.toFixed(3)];
}

function counted(documents: number, tokens: number): string {
  return `${whole(documents)} documents, ${whole(tokens)} tokens`;
}

/** 1234567 as 1,234,567, whatever the locale. */
export function whole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
