import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSource } from "../src/index.js";
import { demoRun } from "./support/demo-run.js";
import { printedSimulation } from "./support/simulations.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "libra-report-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function copyRun(): string {
  const copy = join(folder, "demo");
  cpSync(demoRun, copy, { recursive: true });
  return copy;
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

describe("a runs folder", () => {
  it("is read whole", () => {
    const source = readSource(demoRun);
    if (source.kind !== "run") throw new Error("not a run");
    expect(source.run.steps).toHaveLength(12);
    expect(source.run.layout).toEqual({
      dp: 4,
      cp: 1,
      poolSize: 4,
      sequences: 4,
      window: 2048,
      planner: "libra",
    });
    expect(source.run.replay.map(({ planner }) => planner).slice(0, 2)).toEqual([
      "ulysses",
      "libra",
    ]);
  });

  it("counts the last line of a step that a resumed run repeats", () => {
    const copy = copyRun();
    edit(join(copy, "metrics.jsonl"), (text) => {
      const [first] = text.split("\n");
      return `${text}${JSON.stringify({ ...JSON.parse(first!), loss: 1.5 })}\n`;
    });
    const source = readSource(copy);
    expect(source.kind === "run" && source.run.steps.length).toBe(12);
    expect(source.kind === "run" && source.run.steps[0]!.loss).toBe(1.5);
  });

  const withRanks = (ranks: Record<string, number[]>) => (text: string) => {
    const [first, ...rest] = text.split("\n");
    return [JSON.stringify({ ...JSON.parse(first!), ranks }), ...rest].join("\n");
  };
  const each = { attention: [4, 9], exchange: [1, 1], wait: [5, 0], other: [7, 7] };

  it("keeps the times of every rank where a step tells them", () => {
    const copy = copyRun();
    edit(join(copy, "metrics.jsonl"), withRanks(each));
    const source = readSource(copy);
    if (source.kind !== "run") throw new Error("not a run");
    expect(source.run.steps[0]!.ranks).toEqual(each);
    expect(source.run.steps[1]!.ranks).toBeUndefined();
  });

  it("with times of other ranks in one part is refused", () => {
    const copy = copyRun();
    edit(join(copy, "metrics.jsonl"), withRanks({ ...each, wait: [5] }));
    expect(() => readSource(copy)).toThrow(/line 1: ranks\.wait/);
  });

  it("without a log is reported with a note", () => {
    const copy = copyRun();
    rmSync(join(copy, "log.jsonl"));
    const source = readSource(copy);
    expect(source.kind === "run" && source.run.notes[0]).toContain("log.jsonl does not tell");
  });

  const broken: [string, (file: string) => void, string][] = [
    ["no metrics", (file) => rmSync(file), "metrics.jsonl is missing (libra train writes it)"],
    ["no steps", (file) => writeFileSync(file, "\n"), "ended before its first"],
    ["a torn last line", (file) => edit(file, (text) => text.slice(0, -40)), "line 12 is cut off"],
    [
      "a torn line between",
      (file) => edit(file, (text) => text.replace("}\n", "\n")),
      "line 1 is no JSON",
    ],
    [
      "a missing figure",
      (file) => edit(file, (text) => text.replace('"skewBefore"', '"skew"')),
      "line 1: skewBefore is missing",
    ],
    [
      "a wrong figure",
      (file) => edit(file, (text) => text.replace(/"median":[\d.]+/, '"median":"7"')),
      'line 1: attention.median: expected a number but received "7"',
    ],
  ];
  it.each(broken)("with %s is refused", (_, change, message) => {
    const copy = copyRun();
    change(join(copy, "metrics.jsonl"));
    expect(() => readSource(copy)).toThrow(message);
    expect(() => readSource(copy)).toThrowError(expect.objectContaining({ code: "FORMAT" }));
  });
});

describe("a simulation", () => {
  const write = (value: unknown) => {
    const file = join(folder, "result.json");
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
    return file;
  };

  it("is read as printed, alone, or as a list", () => {
    const printed = printedSimulation();
    const whole = readSource(write(printed));
    if (whole.kind !== "simulation") throw new Error("not a simulation");
    const { rows, choice, reasons } = whole.simulation;
    expect(rows).toEqual(printed.rows);
    expect(rows[choice!]!.strategy).toBe(printed.recommendation.choice.strategy);
    expect(reasons).toEqual(printed.recommendation.reasons);
    for (const value of [printed.rows, printed.rows[0]]) {
      expect(readSource(write(value)).kind).toBe("simulation");
    }
  });

  it("that is something else is refused", () => {
    const { rows } = printedSimulation();
    const cases: [unknown, string][] = [
      ["", "is empty"],
      ["{", "result.json is no JSON"],
      [{ a: 1 }, "is not what libra simulate --json prints: rows is missing"],
      [{ rows: [] }, "holds no simulation"],
      [{ rows: [{ ...rows[0], seconds: null }] }, "rows[0].seconds: expected a number"],
      [{ rows: [{ ...rows[0], steps: undefined }] }, "rows[0].steps is missing"],
      [
        { rows: [{ ...rows[0], layout: { ...rows[0]!.layout, dp: 99 } }] },
        "busy.attention: expected",
      ],
    ];
    for (const [value, message] of cases) {
      expect(() => readSource(write(value))).toThrow(message);
    }
  });

  it("that is not there is refused by name", () => {
    expect(() => readSource(join(folder, "nothing.json"))).toThrow(
      "expected a runs folder or the JSON of libra simulate (ENOENT)",
    );
  });
});
