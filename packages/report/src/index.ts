/**
 * One self-contained HTML report, SVG and PNG, of a simulation or of a training run.
 *
 * @packageDocumentation
 */
export { buildReport, type Report } from "./build-report.js";
export type { Chart, LegendEntry, Part, Table, View } from "./chart/chart.js";
export { renderPng } from "./file/render-png.js";
export { renderSvg } from "./file/render-svg.js";
export { renderPage } from "./page/render-page.js";
export type { Color, Theme } from "./palette.js";
export {
  type Phase,
  type ReplayedTimes,
  type RunData,
  type RunLayout,
  type RunStep,
  readRun,
  type Spread,
} from "./read/read-run.js";
export {
  readSimulation,
  type SimulationSet,
  type WindowSpeedUp,
} from "./read/read-simulation.js";
export { readSource, type Source } from "./read/read-source.js";
