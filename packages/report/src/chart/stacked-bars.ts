import * as Plot from "@observablehq/plot";
import { formatSeconds } from "../format.js";
import { type Color, paint } from "../palette.js";
import type { LegendEntry, View } from "./chart.js";
import { drawPlot } from "./draw-plot.js";

/** One bar, its name above it. */
export interface StackedBar {
  readonly name: string;
  /** Behind the name: the total and what it means. */
  readonly note: string;
  /** Seconds by part, in the order of the parts. */
  readonly seconds: readonly number[];
}

/** Bars of seconds cut into parts, one below the other from zero. */
export function stackedBars(
  label: string,
  parts: readonly LegendEntry[],
  bars: readonly StackedBar[],
): View {
  const pieces = bars.flatMap((bar, index) => {
    let end = 0;
    return parts.map((part, i) => {
      const start = end;
      end += bar.seconds[i]!;
      const title = `${bar.name}: ${part.label} ${formatSeconds(bar.seconds[i]!)}`;
      return { index, start, end, color: part.color as Color, title };
    });
  });
  const heads = bars.map((bar, index) => ({ index, text: `${bar.name} — ${bar.note}` }));
  return {
    label,
    legend: parts,
    draw: (width) =>
      drawPlot(
        {
          width,
          height: 46 * bars.length + 44,
          marginLeft: 4,
          marginRight: 14,
          marginTop: 4,
          marginBottom: 36,
          x: { label: "seconds", grid: true, ticks: width < 600 ? 4 : 8, zero: true },
          y: { axis: null, domain: bars.map((_, index) => index), padding: 0.1 },
          marks: [
            Plot.barX(pieces, {
              x1: "start",
              x2: "end",
              y: "index",
              fill: (piece: (typeof pieces)[number]) => paint(piece.color),
              insetTop: 17,
              title: "title",
            }),
            Plot.text(heads, {
              x: 0,
              y: "index",
              text: "text",
              textAnchor: "start",
              dy: -14,
              dx: 1,
              fill: "currentColor",
            }),
            Plot.ruleX([0]),
          ],
        },
        bars.map((bar) => `${bar.name}: ${bar.note}`).join("; "),
      ),
    table: {
      head: ["", ...parts.map((part) => part.label), "in all"],
      rows: bars.map(({ name, seconds }) => [
        name,
        ...seconds.map(formatSeconds),
        formatSeconds(seconds.reduce((sum, value) => sum + value, 0)),
      ]),
    },
  };
}
