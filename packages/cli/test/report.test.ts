import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();

const spread = { min: 1, median: 2, max: 3, worst: 0 };
const step = {
  step: 1,
  loss: 5,
  milliseconds: 20,
  tokens: 100,
  tokensPerSecond: 5000,
  skewBefore: 1.8,
  skewAfter: 1.01,
  attention: spread,
  exchange: spread,
  wait: spread,
  other: spread,
};

function runFolder(name: string): string {
  const folder = file(name);
  mkdirSync(folder);
  const lines = [1, 2, 3].map((number) => JSON.stringify({ ...step, step: number }));
  writeFileSync(join(folder, "metrics.jsonl"), `${lines.join("\n")}\n`);
  return folder;
}

const simulate = [
  ["simulate", "--stand-in", "--gpus", "8", "--cp", "4", "--window", "16K", "--steps", "1"],
  ["--strategies", "ulysses,libra", "--pools", "1,2", "--no-windows", "--json"],
].flat();

describe("libra report", () => {
  it("draws what libra simulate --json prints", async () => {
    const printed = await run(simulate);
    expect(printed.error).toBe("");
    writeFileSync(file("s.json"), printed.out);
    const out = file("s.html");
    const { code, out: said } = await run(["report", file("s.json"), "--out", out]);
    expect({ code, said }).toEqual({ code: 0, said: `wrote ${out}\n` });
    const page = readFileSync(out, "utf8");
    for (const title of ["Skew against dp and P", "Timeline of a step", "Who waits for whom"]) {
      expect(page.includes(title)).toBe(true);
    }
  });

  it("writes a run as SVG and PNG, and replaces neither unless asked", async () => {
    const argv = ["report", runFolder("run"), "--svg", file("r.svg"), "--png", file("r.png")];
    expect((await run(argv)).code).toBe(0);
    expect(readFileSync(file("r.svg"), "utf8").startsWith("<svg ")).toBe(true);
    expect(readFileSync(file("r.png")).subarray(1, 4).toString()).toBe("PNG");
    const again = await run(argv);
    expect(again.code).toBe(1);
    expect(again.error).toContain("r.svg: the output exists; remove it or pass --overwrite");
    expect((await run([...argv, "--overwrite"])).code).toBe(0);
  });

  it("says in one line what an incomplete folder lacks", async () => {
    const empty = file("empty");
    mkdirSync(empty);
    const { code, error } = await run(["report", empty, "--out", file("e.html")]);
    expect(code).toBe(1);
    expect(error).toBe(
      `error: ${empty} is no complete run: metrics.jsonl is missing (libra train writes it)\n`,
    );
  });
});
