import type { SimulationData } from "@libra/simulator";
import type { Color } from "../palette.js";

/** A simulation in a few words: "libra P 4". */
export function nameRow({ strategy, settings }: SimulationData): string {
  return settings.pool === undefined ? strategy : `${strategy} P ${settings.pool}`;
}

/** With its layout where there are several: "libra P 4, dp 16 × cp 4". */
export function nameWithLayout(row: SimulationData): string {
  const { dp, cp } = row.layout;
  return `${nameRow(row)}, dp ${dp} × cp ${cp}`;
}

const colors: Record<string, Color> = {
  libra: "attention",
  ulysses: "plain",
  perDocument: "second",
  wlb: "third",
  hybridCp: "fourth",
  distca: "fifth",
};

/** The colour of a strategy, the same in every chart. */
export function strategyColor(strategy: string): Color {
  return colors[strategy] ?? "update";
}

/**
 * The best simulation of each strategy in the layout that is recommended (or in the largest), the
 * recommended one as its strategy's best.
 */
export function bestRows(rows: readonly SimulationData[], choice?: number): SimulationData[] {
  const largest = rows.reduce((a, b) => (b.layout.gpus > a.layout.gpus ? b : a));
  const chosen = choice === undefined ? largest : rows[choice]!;
  const best = new Map<string, SimulationData>();
  for (const row of rows) {
    if (row.layout.gpus !== chosen.layout.gpus || row.layout.cp !== chosen.layout.cp) continue;
    const before = best.get(row.strategy);
    if (before === undefined || row.utilisation > before.utilisation) best.set(row.strategy, row);
  }
  if (choice !== undefined) best.set(chosen.strategy, chosen);
  return [...best.values()];
}
