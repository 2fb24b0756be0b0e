import * as Plot from "@observablehq/plot";
import { formatShare } from "../format.js";
import { type Color, paint } from "../palette.js";
import type { View } from "./chart.js";
import { drawPlot, isNarrow } from "./draw-plot.js";

/** Values of one thing, drawn above the others' on the same axis. */
export interface Distribution {
  readonly name: string;
  readonly color: Color;
  readonly values: readonly number[];
}

interface Bin {
  name: string;
  color: Color;
  from: number;
  to: number;
  share: number;
  title: string;
}

/** Shares of values by size, one row of bars for each distribution. */
export function histogram(
  label: string,
  xLabel: string,
  what: string,
  distributions: readonly Distribution[],
): View {
  const bins = binsOf(distributions, what);
  return {
    label,
    legend: [],
    draw: (width) =>
      drawPlot(
        {
          width,
          height: 96 * distributions.length + 50,
          marginLeft: 44,
          marginRight: 14,
          marginTop: 22,
          marginBottom: 40,
          x: { label: xLabel, ticks: isNarrow(width) ? 4 : 8 },
          y: { label: null, grid: true, ticks: 2, tickFormat: "%" },
          fy: { axis: null, domain: distributions.map(({ name }) => name), padding: 0.3 },
          marks: [
            Plot.rectY(bins, {
              x1: "from",
              x2: "to",
              y: "share",
              fy: "name",
              fill: (bin: Bin) => paint(bin.color),
              title: "title",
            }),
            Plot.text(
              distributions.map(({ name }) => ({ name })),
              {
                fy: "name",
                text: "name",
                frameAnchor: "top-left",
                dx: 4,
                dy: -15,
                fontWeight: 600,
                fill: "currentColor",
              },
            ),
            Plot.ruleY([0]),
          ],
        },
        `Shares of ${what} by ${xLabel}: ${distributions.map(({ name }) => name).join(", ")}`,
      ),
    table: {
      head: ["", `${xLabel}, from`, "to", `share of ${what}`],
      rows: bins
        .filter(({ share }) => share > 0)
        .map(({ name, from, to, share }) => [
          name,
          from.toFixed(3),
          to.toFixed(3),
          formatShare(share),
        ]),
    },
  };
}

function binsOf(distributions: readonly Distribution[], what: string): Bin[] {
  const all = distributions.flatMap(({ values }) => values);
  const least = all.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = all.reduce((a, b) => Math.max(a, b), least);
  const count = Math.min(40, Math.max(8, Math.ceil(Math.sqrt(all.length))));
  // Values that are alike, or all but alike, still make one bar of some width.
  const part = (most - least) / count;
  const width = part > 0 ? part : Math.max(least, 1) / count;
  return distributions.flatMap(({ name, color, values }) => {
    const counts = new Float64Array(count);
    for (const value of values) counts[Math.min(count - 1, Math.floor((value - least) / width))]!++;
    return Array.from(counts, (number, i): Bin => {
      const [from, to] = [least + i * width, least + (i + 1) * width];
      const share = values.length === 0 ? 0 : number / values.length;
      const title = `${name}: ${formatShare(share)} of ${what} from ${from.toFixed(3)} to ${to.toFixed(3)}`;
      return { name, color, from, to, share, title };
    }).filter((bin) => bin.share > 0);
  });
}
