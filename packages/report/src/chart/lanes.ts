import * as Plot from "@observablehq/plot";
import { formatSeconds } from "../format.js";
import { type Color, paint } from "../palette.js";
import type { LegendEntry, View } from "./chart.js";
import { drawPlot, isNarrow } from "./draw-plot.js";

/** A piece of time on a lane, in seconds from the step's start. */
export interface LaneSpan {
  readonly start: number;
  readonly end: number;
  readonly color: Color;
  /** What happens: "forward, micro-step 2". */
  readonly what: string;
  /** Paler: time in which nothing is computed. */
  readonly idle?: boolean;
}

/** One lane of a timeline. */
export interface Lane {
  readonly name: string;
  /** Lanes of pools stand out above those of their ranks. */
  readonly strong?: boolean;
  readonly spans: readonly LaneSpan[];
}

/** Lanes below each other over one axis of time. */
export function lanesView(
  label: string,
  lanes: readonly Lane[],
  legend: readonly LegendEntry[],
): View {
  const spans = lanes.flatMap(({ name, strong = false, spans: list }, lane) =>
    list
      .filter(({ start, end }) => end > start)
      .map((span) => ({
        ...span,
        lane,
        strong,
        title: `${name}: ${span.what}, ${formatSeconds(span.start)} to ${formatSeconds(span.end)} (${formatSeconds(span.end - span.start)})`,
      })),
  );
  type Drawn = (typeof spans)[number];
  const longest = lanes.reduce((most, { name }) => Math.max(most, name.length), 0);
  const bars = (strong: boolean) =>
    Plot.barX(
      spans.filter((span) => span.strong === strong),
      {
        x1: "start",
        x2: "end",
        y: "lane",
        fill: (span: Drawn) => paint(span.color),
        fillOpacity: (span: Drawn) => (span.idle ? 0.3 : 1),
        stroke: paint("card"),
        strokeWidth: 0.5,
        insetTop: strong ? 1 : 3,
        insetBottom: strong ? 1 : 3,
        title: "title",
      },
    );
  return {
    label,
    legend,
    draw: (width) =>
      drawPlot(
        {
          width,
          height: 18 * lanes.length + 46,
          marginLeft: Math.min(isNarrow(width) ? 110 : 150, 7 * longest + 14),
          marginRight: 14,
          marginTop: 4,
          marginBottom: 38,
          x: { label: "seconds from the step's start", grid: true, ticks: isNarrow(width) ? 3 : 8 },
          y: {
            domain: lanes.map((_, i) => i),
            label: null,
            tickSize: 0,
            tickFormat: (i: number) => lanes[i]!.name,
            padding: 0,
          },
          // Opacities are shares already, not values to spread over a scale.
          opacity: { type: "identity" },
          marks: [bars(true), bars(false), Plot.ruleX([0])],
        },
        `Timeline of a step with ${lanes.length} lanes`,
      ),
    table: {
      head: ["lane", "what", "from", "to"],
      rows: spans
        .slice(0, 400)
        .map(({ lane, what, start, end }) => [
          lanes[lane]!.name,
          what,
          formatSeconds(start),
          formatSeconds(end),
        ]),
    },
  };
}
