import type { Color } from "../palette.js";

/** What a colour of a chart means. */
export interface LegendEntry {
  readonly label: string;
  readonly color: Color;
}

/** The figures behind a chart, for readers who do not see it. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One drawing of a chart: readers choose among a chart's views. */
export interface View {
  readonly label: string;
  readonly legend: readonly LegendEntry[];
  /** Draws at a width in pixels; the height follows. Returns an SVG element. */
  readonly draw: (width: number) => string;
  readonly table: Table;
}

/** One question and its picture. */
export interface Chart {
  /** Unique inside its part. */
  readonly id: string;
  readonly title: string;
  /** What is drawn and how to read it. */
  readonly summary: string;
  /** At least one. */
  readonly views: readonly View[];
}

/** Everything about one source: a simulation or a run. */
export interface Part {
  readonly title: string;
  /** Headline figures. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Sentences: recommendations, and what is missing. */
  readonly notes: readonly string[];
  readonly overview?: Table;
  readonly charts: readonly Chart[];
}
