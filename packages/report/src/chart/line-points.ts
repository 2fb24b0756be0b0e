import * as Plot from "@observablehq/plot";
import { type Color, paint } from "../palette.js";
import type { LegendEntry, View } from "./chart.js";
import { drawPlot, isNarrow } from "./draw-plot.js";

/** A line through points of one series. */
export interface Series {
  readonly name: string;
  readonly color: Color;
  /** Written behind the last point. */
  readonly tag?: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly note: string }[];
}

export interface LineOptions {
  readonly label: string;
  /** Default: the series. */
  readonly legend?: readonly LegendEntry[];
  readonly xLabel: string;
  readonly yLabel: string;
  /** Steps that double (dp, P) stand at equal distances. */
  readonly doubling?: boolean;
  /** Drawn across: the least value there can be. */
  readonly floor?: number;
  /** Marks on every point; default: up to 60 points. */
  readonly dots?: boolean;
}

/** Lines over a numeric axis. */
export function linePoints(series: readonly Series[], options: LineOptions): View {
  const { label, xLabel, yLabel, floor, doubling = false } = options;
  const points = series.flatMap(({ name, color, points: list }) =>
    list.map(({ x, y, note }) => ({ x, y, name, color, title: `${name}, ${note}` })),
  );
  const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const dots = options.dots ?? points.length <= 120;
  const tags = tagsOf(series);
  type Point = (typeof points)[number];
  return {
    label,
    legend: options.legend ?? series.map(({ name, color }) => ({ label: name, color })),
    draw: (width) =>
      drawPlot(
        {
          width,
          height: isNarrow(width) ? 250 : 300,
          marginLeft: 46,
          marginRight: tags.length > 0 ? 56 : 18,
          marginTop: 26,
          marginBottom: 40,
          x: doubling
            ? { type: "point", domain: xs, label: xLabel, padding: 0.4 }
            : { label: xLabel, ticks: isNarrow(width) ? 4 : 10, tickFormat: (x: number) => `${x}` },
          y: {
            label: yLabel,
            grid: true,
            nice: true,
            ...(floor === undefined ? {} : { zero: false }),
          },
          marks: [
            ...(floor === undefined ? [] : [Plot.ruleY([floor], { stroke: paint("muted") })]),
            Plot.line(points, {
              x: "x",
              y: "y",
              z: "name",
              stroke: (point: Point) => paint(point.color),
              strokeWidth: 2,
            }),
            ...(dots
              ? [
                  Plot.dot(points, {
                    x: "x",
                    y: "y",
                    r: points.length > 60 ? 2.5 : 4,
                    fill: (point: Point) => paint(point.color),
                    stroke: paint("card"),
                    title: "title",
                  }),
                ]
              : []),
            Plot.text(tags, {
              x: "x",
              y: "y",
              text: "tag",
              textAnchor: "start",
              dx: 8,
              fill: "currentColor",
            }),
          ],
        },
        `${yLabel} over ${xLabel}: ${series.map(({ name }) => name).join(", ")}`,
      ),
    table: {
      head: ["", xLabel, yLabel],
      rows: points.map(({ name, x, y }) => [name, `${x}`, y.toFixed(3)]),
    },
  };
}

interface Tag {
  x: number;
  y: number;
  tag: string;
}

/** Tags behind the lines' last points; those that would overlap share one. */
function tagsOf(series: readonly Series[]): Tag[] {
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y));
  const least = ys.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const close = 0.06 * ys.reduce((most, y) => Math.max(most, y - least), 0);
  const tags: Tag[] = [];
  for (const { tag, points } of series) {
    const last = points[points.length - 1];
    if (tag === undefined || last === undefined) continue;
    const near = tags.find(({ x, y }) => x === last.x && Math.abs(y - last.y) <= close);
    if (near === undefined) tags.push({ x: last.x, y: last.y, tag });
    else near.tag += `, ${tag.replace(/^P /, "")}`;
  }
  return tags;
}
