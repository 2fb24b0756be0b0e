import { writeFileSync } from "node:fs";
import { runCalibrate } from "@libra/runtime";
import { describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const quiet = { print: () => {}, printError: () => {} };
const model = `
layers: 2
hidden: 128
queryHeads: 4
kvHeads: 2
headDim: 64
ffn: 256
vocab: 1000
`;

describe("libra calibrate", () => {
  it("hands its words to the runtime and takes the exit code", async () => {
    const words: unknown[] = [];
    const runCalibrate = async (argv: unknown) => {
      words.push(argv);
      return 3;
    };
    const argv = ["calibrate", "--out", "profile.json", "--help"];
    expect((await run(argv, async () => ({ runCalibrate }))).code).toBe(3);
    expect(words).toEqual([argv.slice(1)]);
  });

  it("says what to install", async () => {
    const absent = async (): Promise<never> => {
      const error = new Error("Cannot find package '@libra/runtime' imported from here");
      throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
    };
    const { code, error } = await run(["calibrate"], absent);
    expect(code).toBe(1);
    expect(error).toContain("npm install @libra/runtime");
  });
});

describe("a profile of this machine", () => {
  const file = useFolder();

  it("is taken by libra plan and by libra simulate", { timeout: 60_000 }, async () => {
    const profile = file("profile.json");
    const cluster = file("cluster.yaml");
    const quick = ["--seconds", "1", "--longest", "128"];
    expect(await runCalibrate(["--out", profile, "--cluster", cluster, ...quick], quiet)).toBe(0);
    const lengths = file("lengths.txt");
    writeFileSync(lengths, Array.from({ length: 400 }, (_, i) => 10 + ((i * 37) % 900)).join("\n"));
    const planned = await run([
      "plan",
      lengths,
      "--window",
      "1K",
      "--dp",
      "2",
      "--profile",
      profile,
    ]);
    expect({ code: planned.code, error: planned.error }).toEqual({ code: 0, error: "" });
    writeFileSync(file("model.yaml"), model);
    const simulated = await run([
      ...["simulate", "--lengths", lengths, "--gpus", "2", "--window", "1K", "--steps", "1"],
      ...["--cluster", cluster, "--model", file("model.yaml"), "--strategies", "ulysses,libra"],
      ...["--no-windows", "--json"],
    ]);
    expect(simulated.error).toBe("");
    expect(JSON.parse(simulated.out).rows[0].seconds).toBeGreaterThan(0);
  });
});
