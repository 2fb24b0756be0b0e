import { describe, expect, it } from "vitest";
import {
  buildReport,
  type Report,
  readSimulation,
  readSource,
  renderPage,
  renderPng,
  renderSvg,
} from "../src/index.js";
import { demoRun } from "./support/demo-run.js";
import { printedSimulation } from "./support/simulations.js";

const simulation = () =>
  ({
    kind: "simulation",
    simulation: readSimulation(printedSimulation(), "small.json"),
  }) as const;
const run = () => readSource(demoRun);

function chart(report: Report, id: string) {
  return report.parts[0]!.charts.find((candidate) => candidate.id === id)!;
}

describe("a report of a simulation", () => {
  it("answers every question", () => {
    const { parts } = buildReport([simulation()]);
    expect(parts[0]!.charts.map(({ id }) => id)).toEqual([
      "skew",
      "breakdown",
      "timeline",
      "workload",
      "waiting",
    ]);
    expect(parts[0]!.notes.length).toBeGreaterThan(0);
    expect(parts[0]!.facts[0]!.label).toBe("recommended");
  });

  it("draws skew against dp and P, at every level that is named", () => {
    const { views } = chart(buildReport([simulation()]), "skew");
    expect(views.map(({ label }) => label).sort()).toEqual([
      "stepSkew against P",
      "stepSkew against dp",
      "workerSkew against P",
      "workerSkew against dp",
    ]);
  });

  it("breaks a step down into parts that add up to it", () => {
    const { rows } = printedSimulation();
    const { views } = chart(buildReport([simulation()]), "breakdown");
    expect(views[0]!.table.rows.map(([name]) => name)).toContain("ulysses");
    for (const { seconds, breakdown } of rows) {
      const sum = Object.values(breakdown).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(seconds, 6);
    }
  });

  it("has a lane for each pool and each rank", () => {
    const { views } = chart(buildReport([simulation()]), "timeline");
    const lanes = new Set(views[0]!.table.rows.map(([lane]) => lane));
    expect([...lanes].filter((lane) => lane?.startsWith("pool")).length).toBeGreaterThan(1);
    expect([...lanes].filter((lane) => lane?.startsWith("rank")).length).toBeGreaterThan(4);
  });
});

describe("a report of a run", () => {
  it("answers the same questions from what the trainer wrote", () => {
    const { parts } = buildReport([run()]);
    expect(parts[0]!.charts.map(({ id }) => id)).toEqual([
      "skew",
      "breakdown",
      "timeline",
      "workload",
      "waiting",
      "replay",
      "progress",
    ]);
  });

  it("compares several runs against dp and P", () => {
    const report = buildReport([run(), run()]);
    expect(report.parts[0]!.title).toBe("Runs side by side");
    expect(report.parts[0]!.charts[0]!.views.map(({ label }) => label)).toEqual([
      "against dp",
      "against P",
    ]);
  });

  it("shows every rank where the run kept their times", () => {
    const source = run();
    if (source.kind !== "run") throw new Error("not a run");
    const steps = source.run.steps.map((step) => ({
      ...step,
      ranks: {
        attention: [4, 9, 5, 6],
        exchange: [1, 1, 1, 1],
        wait: [5, 0, 4, 3],
        other: [7, 7, 7, 7],
      },
      attention: { ...step.attention, worst: 1 },
      wait: { ...step.wait, min: 0 },
    }));
    const report = buildReport([{ kind: "run", run: { ...source.run, steps } }]);
    const lanes = new Set(chart(report, "timeline").views[0]!.table.rows.map(([lane]) => lane));
    expect([...lanes]).toEqual(["pool 0", "rank 0", "rank 1", "rank 2", "rank 3"]);
    const [longest] = chart(report, "waiting").views[0]!.table.rows;
    expect(longest!.slice(0, 2)).toEqual(["rank 0", "rank 1"]);
  });
});

describe("the page", () => {
  const page = renderPage(buildReport([simulation(), run()], "A & B"));

  it("needs nothing but itself", () => {
    const outside = page.replaceAll("http://www.w3.org/2000/svg", "").match(/(https?:)?\/\/[a-z]/g);
    expect(outside).toBeNull();
    expect(page.includes("default-src 'none'")).toBe(true);
    expect(/<(link|img|script|iframe)[^>]+(src|href)="(?!data:)/.exec(page)).toBeNull();
  });

  it("escapes texts and gives every chart two widths, a name and its figures", () => {
    expect(page.includes("<title>A &amp; B</title>")).toBe(true);
    const charts = page.match(/data-chart/g)!.length - 1; // the script names them once
    const views = page.match(/data-view="/g)!.length;
    expect(charts).toBe(12);
    expect(page.match(/class="plot wide" tabindex="0"/g)).toHaveLength(views);
    expect(page.match(/class="plot narrow" tabindex="0"/g)).toHaveLength(views);
    expect(page.match(/role="img" aria-label="/g)).toHaveLength(2 * views);
    const content = page.slice(0, page.indexOf("<script>"));
    expect(/NaN|undefined|\[object/.exec(content)).toBeNull();
  });
});

describe("files", () => {
  it("writes SVG with colours written out, in light and dark", () => {
    const report = buildReport([run()]);
    for (const theme of ["light", "dark"] as const) {
      const svg = renderSvg(report, theme);
      expect(/var\(--|currentColor/.exec(svg)).toBeNull();
      expect(svg.includes(theme === "light" ? "#ffffff" : "#191f25")).toBe(true);
    }
  });

  it("writes PNG", () => {
    const png = renderPng(renderSvg(buildReport([run()])), 0.5);
    expect([...png.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(png.length).toBeGreaterThan(10_000);
  });
});
