/** What a colour stands for, in light and in dark; contrast against the card is at least 3 : 1. */
const palette = {
  page: ["#f4f6f8", "#101418"],
  card: ["#ffffff", "#191f25"],
  ink: ["#1a2026", "#e8edf2"],
  muted: ["#58636e", "#9fabb7"],
  line: ["#dbe1e7", "#303942"],
  accent: ["#1f5fd0", "#7db0ff"],
  attention: ["#2b6fdc", "#6ea8ff"],
  linear: ["#14866a", "#43c39d"],
  workers: ["#cf7a00", "#f2ab48"],
  exchange: ["#7a4fd0", "#b591f7"],
  pools: ["#cc3d54", "#f37f90"],
  update: ["#75808b", "#98a4b0"],
  plain: ["#75808b", "#98a4b0"],
  second: ["#14866a", "#43c39d"],
  third: ["#cf7a00", "#f2ab48"],
  fourth: ["#7a4fd0", "#b591f7"],
  fifth: ["#cc3d54", "#f37f90"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

/** A colour by what it stands for. */
export type Color = keyof typeof palette;
/** Which of a colour's two values is drawn. */
export type Theme = "light" | "dark";

/** Colours of series that have no colour of their own, in order. */
export const seriesColors: readonly Color[] = [
  "attention",
  "third",
  "second",
  "fourth",
  "fifth",
  "plain",
];

/** The colour as pages use it: the page's theme decides. */
export function paint(color: Color): string {
  return `var(--${color})`;
}

/** Declarations of all colours of a theme. */
export function cssColors(theme: Theme): string {
  return Object.entries(palette)
    .map(([name, pair]) => `--${name}:${pair[theme === "light" ? 0 : 1]}`)
    .join(";");
}

/** A drawing with the theme's colours written out, for programs that know no CSS variables. */
export function fixColors(svg: string, theme: Theme): string {
  const index = theme === "light" ? 0 : 1;
  return svg
    .replaceAll(/var\(--([a-z]+)\)/g, (whole, name: string) =>
      name in palette ? palette[name as Color][index] : whole,
    )
    .replaceAll("currentColor", palette.ink[index]);
}
