import * as Plot from "@observablehq/plot";
import { formatSeconds } from "../format.js";
import { paint } from "../palette.js";
import type { View } from "./chart.js";
import { drawPlot, isNarrow } from "./draw-plot.js";

/** Time that one rank waits for another. */
export interface Wait {
  readonly waiting: number;
  readonly waitedFor: number;
  readonly seconds: number;
}

const mostRows = 24;
const mostColumns = { wide: 12, narrow: 6 };

/**
 * A grid: who waits (rows) for whom (columns), darker for longer. Only those with the most waiting
 * are drawn; the table has them too.
 *
 * @param nameOf - of a rank
 * @param nameWaiting - of a row, where rows are something else than ranks
 */
export function waitMatrix(
  label: string,
  waits: readonly Wait[],
  nameOf: (rank: number) => string,
  nameWaiting = nameOf,
): View {
  const cells = summed(waits);
  const rows = longest(cells, "waiting", mostRows).sort((a, b) => a - b);
  const order = longest(cells, "waitedFor", mostColumns.wide);
  const most = cells.reduce((top, { seconds }) => Math.max(top, seconds), 0);
  const named = cells.map((cell) => ({
    ...cell,
    title: `${nameWaiting(cell.waiting)} waits ${formatSeconds(cell.seconds)} for ${nameOf(cell.waitedFor)}`,
  }));
  return {
    label,
    legend: [{ label: "waiting, darker is longer", color: "pools" }],
    draw: (width) => {
      const narrow = isNarrow(width);
      const columns = order.slice(0, narrow ? mostColumns.narrow : mostColumns.wide);
      const drawn = named.filter(
        ({ waiting, waitedFor }) => rows.includes(waiting) && columns.includes(waitedFor),
      );
      const marginLeft =
        14 + 7 * rows.reduce((most, row) => Math.max(most, nameWaiting(row).length), 6);
      const column = Math.min(90, (width - marginLeft - 14) / Math.max(1, columns.length));
      return drawPlot(
        {
          width,
          height: 20 * rows.length + 76,
          marginLeft,
          marginTop: 66,
          marginBottom: 8,
          marginRight: width - marginLeft - column * columns.length,
          x: {
            axis: "top",
            domain: columns,
            label: "waited for",
            labelOffset: 62,
            tickSize: 0,
            tickFormat: nameOf,
            tickRotate: columns.length > 3 ? -38 : 0,
          },
          y: { domain: rows, label: null, tickSize: 0, tickFormat: nameWaiting },
          opacity: { type: "identity" },
          marks: [
            Plot.cell(drawn, {
              x: "waitedFor",
              y: "waiting",
              fill: paint("pools"),
              fillOpacity: ({ seconds }: Wait) => 0.12 + 0.88 * (most > 0 ? seconds / most : 0),
              inset: 0.5,
              rx: 2,
              title: "title",
            }),
          ],
        },
        named.length === 0
          ? "Nobody waits"
          : `Who waits for whom; the longest: ${named.reduce((a, b) => (b.seconds > a.seconds ? b : a)).title}`,
      );
    },
    table: {
      head: ["who waits", "for whom", "how long"],
      rows: [...named]
        .sort((a, b) => b.seconds - a.seconds || a.waiting - b.waiting)
        .slice(0, 200)
        .map(({ waiting, waitedFor, seconds }) => [
          nameWaiting(waiting),
          nameOf(waitedFor),
          formatSeconds(seconds),
        ]),
    },
  };
}

function summed(waits: readonly Wait[]): Wait[] {
  const cells = new Map<string, Wait>();
  for (const { waiting, waitedFor, seconds } of waits) {
    if (seconds <= 0) continue;
    const key = `${waiting} ${waitedFor}`;
    const before = cells.get(key)?.seconds ?? 0;
    cells.set(key, { waiting, waitedFor, seconds: before + seconds });
  }
  return [...cells.values()];
}

/** Ranks with the most seconds in one role, the most first. */
function longest(cells: readonly Wait[], role: "waiting" | "waitedFor", count: number): number[] {
  const totals = new Map<number, number>();
  for (const cell of cells) {
    totals.set(cell[role], (totals.get(cell[role]) ?? 0) + cell.seconds);
  }
  return [...totals]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, count)
    .map(([rank]) => rank);
}
