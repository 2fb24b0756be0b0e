import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();
// A long tail by hand: every 17th document fills most of a window.
const lengths = Array.from({ length: 3000 }, (_, i) =>
  i % 17 === 0 ? 12_000 + i : 200 + ((i * 37) % 900),
);
const shape = [
  "--gpus",
  "16",
  "--cp",
  "2",
  "--window",
  "16K",
  "--global-batch",
  "8",
  "--steps",
  "1",
];
const few = ["--strategies", "ulysses,libra", "--pools", "1,4", "--chunks", "4"];

beforeAll(() => {
  writeFileSync(file("lengths.txt"), lengths.join("\n"));
  writeFileSync(
    file("cluster.yaml"),
    "base: h100-ib\nname: thin\nlinks:\n  farther: { latencyMicroseconds: 5, bandwidthGBs: 10 }\n",
  );
  writeFileSync(file("model.yaml"), "base: qwen3-8b\nlayers: 4\n");
});
const simulate = (...words: string[]) =>
  run(["simulate", "--lengths", file("lengths.txt"), ...shape, ...words]);

describe("libra simulate", () => {
  it("prints the table, shorter windows, and what to run", async () => {
    const { code, out, error } = await simulate(...few);
    expect(error).toBe("");
    expect(code).toBe(0);
    for (const text of [
      "3,000, longest 14,992",
      "ulysses",
      "libra, P 1",
      "libra, P 4",
      "libra over ulysses",
      "16 GPUs: dp 8 × cp 2",
    ]) {
      expect(out).toContain(text);
    }
    expect(out).toMatch(/Run (ulysses|libra)/);
  });

  it("prints everything as JSON, the same for the same seed", async () => {
    const words = [...few, "--no-windows", "--json"];
    const first = await simulate(...words);
    const data = JSON.parse(first.out);
    expect(data.rows.map((row: { strategy: string }) => row.strategy)).toEqual([
      "ulysses",
      "libra",
      "libra",
    ]);
    const [plain] = data.rows;
    expect(plain.layout).toEqual({ tp: 1, cp: 2, dp: 8, pp: 1, gpus: 16 });
    expect(plain.steps[0].busy.attention).toHaveLength(16);
    expect(plain.steps[0].spans).toHaveLength(16);
    expect(data.gains).toEqual([]);
    expect(data.rows[data.recommendation.choice]).toBeDefined();
    expect((await simulate(...words)).out).toBe(first.out);
  });

  it("takes clusters and models of one's own, and several layouts", async () => {
    const files = ["--cluster", file("cluster.yaml"), "--model", file("model.yaml")];
    const { out, code } = await simulate(...few, ...files, "--cp", "2,4", "--no-windows", "--json");
    expect(code).toBe(0);
    const layouts = JSON.parse(out).rows.map((row: { layout: { cp: number } }) => row.layout.cp);
    expect(new Set(layouts)).toEqual(new Set([2, 4]));
  });

  it("makes a corpus up", async () => {
    const words = ["--gpus", "8", "--window", "8K", "--steps", "1", "--no-windows"];
    const { out } = await run([
      "simulate",
      "--stand-in",
      ...words,
      ...few.slice(0, 2),
      "--pools",
      "1",
    ]);
    expect(out).toContain("made up: lognormal, median 644, σ 2.02, seed 0");
  });

  it.each([
    [["--cp", "3"], /cp 3.*does not divide the world of 16/],
    [["--model", "qwen3-8"], /Unknown model "qwen3-8"; did you mean qwen3-8b/],
    [["--cluster", "h10-ib"], /Unknown cluster "h10-ib"; did you mean h100-ib/],
    [["--cluster", "none.yaml"], /none\.yaml: cannot be read \(ENOENT\)/],
    [["--strategies", "libre"], /Unknown strategy "libre"; did you mean libra/],
    [["--pools", "3", "--strategies", "libra"], /pool 3 does not divide dp 8; valid: 1, 2, 4, 8/],
    [["--overlong", "error", "--window", "8K"], /longer|window/],
    [["--global-batch", "12"], /globalBatch 12 is not a multiple of dp 8/],
    [["--stand-in"], /one of --lengths and --stand-in/],
  ])("refuses %j", async (words, message) => {
    const { code, error, out } = await simulate(...few, "--no-windows", ...words);
    expect(error).toMatch(message);
    expect(out).toBe("");
    expect(code).toBe(1);
  });

  it.each([
    ["--gpus", "0"],
    ["--cp", "1,0"],
    ["--steps", "0"],
  ])("refuses %s %s as wrong usage", async (...words) => {
    const { code, error } = await simulate(...few, "--no-windows", ...words);
    expect(error).toContain(`argument '${words[1]}' is invalid. Expected a positive number`);
    expect(code).toBe(2);
  });

  it("names the path of a wrong figure in YAML", async () => {
    writeFileSync(file("bad.yaml"), "base: h100-ib\nmemoryGB: -80\n");
    const { code, error } = await simulate("--cluster", file("bad.yaml"));
    expect(error).toContain(
      `error: ${file("bad.yaml")}: Expected a number above 0 for cluster.memory`,
    );
    expect(error).toMatch(/cluster\.memoryGB but received -80/);
    expect(code).toBe(1);
    writeFileSync(file("lost.yaml"), "base: h100-ib\nattention: { profile: lost.json }\n");
    const lost = await simulate("--cluster", file("lost.yaml"));
    expect(lost.error).toContain(`error: ${file("lost.json")}: cannot be read (ENOENT)`);
    writeFileSync(file("lost.json"), "no JSON");
    const broken = await simulate("--cluster", file("lost.yaml"));
    expect(broken.error).toContain(`${file("lost.yaml")}: The calibration profile is no JSON`);
    expect(broken.code).toBe(1);
  });
});
