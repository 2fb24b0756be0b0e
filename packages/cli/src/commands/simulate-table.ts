import type { Comparison, Simulation, WindowGain } from "@libra/simulator";
import { createColors } from "picocolors";
import { table, whole } from "../plan/table.js";

/** The comparison for people. */
export function comparisonTable(
  { rows, refused, recommendation }: Comparison,
  gains: readonly WindowGain[],
  facts: readonly (readonly [string, string])[],
  colors: boolean,
): string {
  const { bold, dim } = createColors(colors);
  const worlds = new Set(rows.map((row) => `${row.layout.gpus} ${row.layout.cp}`));
  const lines = [
    table(
      undefined,
      facts.map((fact) => [...fact]),
    ),
  ];
  for (const world of worlds) {
    const same = rows.filter((row) => `${row.layout.gpus} ${row.layout.cp}` === world);
    if (worlds.size > 1) lines.push(bold(layoutText(same[0]!)));
    lines.push(layoutTable(same, recommendation.choice, colors));
  }
  for (const reason of new Set(refused.map((entry) => `${entry.strategy}: ${entry.reason}`))) {
    lines.push(dim(`left out: ${reason}`));
  }
  if (gains.length > 0) lines.push(gainTable(gains));
  const { choice } = recommendation;
  lines.push(bold(`Run ${nameOf(choice)}, ${layoutText(choice)}.`));
  lines.push(...recommendation.reasons.map((reason) => `  ${reason}`));
  return `${lines.join("\n")}\n`;
}

function layoutTable(rows: readonly Simulation[], choice: Simulation, colors: boolean): string {
  const { green } = createColors(colors);
  const plain = rows.find((row) => row.strategy === "ulysses");
  const head = ["strategy", "step s", "tokens/s a GPU", "MFU", "speed", "waits", "exchange"];
  head.push("skew", "peers", "memory GB");
  const body = rows.map((row) => {
    const { workers, pools, exchange } = row.breakdown;
    const cells = [
      nameOf(row),
      row.seconds.toPrecision(4),
      whole(Math.round(row.tokensPerGpuSecond)),
      percent(row.utilisation),
      plain ? `${(row.utilisation / plain.utilisation).toFixed(2)} ×` : "–",
      percent((workers + pools) / row.seconds),
      percent(exchange / row.seconds),
      row.workerSkew.toFixed(2),
      `${row.mostPeers}`,
      `${(row.memory.total / 1e9).toFixed(0)}${row.memory.fits ? "" : " !"}`,
    ];
    return row === choice ? cells.map(green) : cells;
  });
  return table(head, body);
}

function gainTable(gains: readonly WindowGain[]): string {
  const body = gains.map(({ window, cp, dp, overPlain, overWlb, libra }) => [
    whole(window),
    `${cp}`,
    `${dp}`,
    `${overPlain.toFixed(2)} ×`,
    `${overWlb.toFixed(2)} ×`,
    `${libra.settings.pool}`,
    overPlain < 1.02 ? "nothing" : "",
  ]);
  const head = ["window", "cp", "dp", "libra over ulysses", "over wlb", "its best P", "brings"];
  return table(head, body);
}

/** A strategy with what was chosen for it. */
function nameOf({ strategy, settings }: Simulation): string {
  const { pool, chunks, ...others } = settings;
  const shown =
    strategy === "libra" ? [`P ${pool}`] : Object.entries(others).map(([k, v]) => `${k} ${v}`);
  if (chunks !== undefined) shown.push(`${chunks} chunks`);
  return shown.length === 0 ? strategy : `${strategy}, ${shown.join(", ")}`;
}

function layoutText({ layout }: Simulation): string {
  const { gpus, dp, cp, tp, pp } = layout;
  return `${whole(gpus)} GPUs: dp ${dp} × cp ${cp}${tp > 1 ? ` × tp ${tp}` : ""}${pp > 1 ? ` × pp ${pp}` : ""}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
