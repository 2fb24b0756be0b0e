import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { openPlanBinary, readPlanNdjson } from "@libra/sampler";
import { beforeAll, describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();
// A long tail by hand: every 17th document fills most of a window.
const lengths = Array.from({ length: 400 }, (_, i) =>
  i % 17 === 0 ? 3000 + i : 20 + ((i * 37) % 300),
);
const shape = ["--window", "4K", "--dp", "4", "--micro-steps", "2"];

beforeAll(() => writeFileSync(file("lengths.txt"), lengths.join("\n")));
const plan = (...words: string[]) => run(["plan", file("lengths.txt"), ...shape, ...words]);

describe("libra plan", () => {
  it("prints what a table must tell", async () => {
    const { code, out, error } = await plan();
    expect(error).toBe("");
    expect(code).toBe(0);
    for (const word of [
      "before (arrival order)",
      "after (libra)",
      "bound",
      "pools",
      "steps",
      "dropped",
      "split",
      "padding",
    ]) {
      expect(out).toContain(word);
    }
    expect(out).toContain("4 × 1 replicas (dp 4), sync: step");
  });

  it("prints the same as JSON, with skews in their order", async () => {
    const { out } = await plan("--json", "--pool-size", "2");
    const summary = JSON.parse(out);
    expect(summary.corpus).toMatchObject({ documents: 400, format: "text" });
    expect(summary.configuration).toMatchObject({ window: 4096, dp: 4, poolSize: 2, pools: 2 });
    const { before, after, bound } = summary.skew;
    expect(after.mean).toBeLessThan(before.mean);
    expect(bound.mean).toBeLessThanOrEqual(after.mean);
    expect(summary.steps.planned).toBe(summary.steps.inEpoch);
  });

  it("writes plans that read back equal, by the name of the file", async () => {
    const binary = await plan("--out", file("plan.bin"), "--steps", "3");
    expect(binary.out).toContain(`wrote ${file("plan.bin")}`);
    const stored = await openPlanBinary(file("plan.bin"));
    expect(stored).toMatchObject({ steps: 3, dp: 4, microSteps: 2, window: 4096 });
    await plan("--out", file("plan.ndjson"), "--steps", "3");
    const steps = [];
    for await (const step of readPlanNdjson(file("plan.ndjson"))) steps.push(step);
    expect(steps.map(({ step }) => step)).toEqual([0, 1, 2]);
    expect((await stored.read(2)).segmentLength).toEqual(steps[2]!.segmentLength);
    const streamed = await plan("--out", "-", "--steps", "3");
    expect(streamed.out).toBe(readFileSync(file("plan.ndjson"), "utf8"));
    expect(streamed.error).toContain("after (libra)");
  });

  it("does not replace outputs unless asked", async () => {
    writeFileSync(file("there.bin"), "old");
    const refused = await plan("--out", file("there.bin"));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toContain("the output exists");
    expect(readFileSync(file("there.bin"), "utf8")).toBe("old");
    expect((await plan("--out", file("there.bin"), "--overwrite")).code).toBe(0);
    writeFileSync(file("there.json"), "old");
    expect((await plan("--trace", file("there.json"))).error).toContain("pass --overwrite");
  });

  it("leaves no part of an output that failed, and writes no two into one file", async () => {
    const shared = await plan("--out", file("one"), "--trace", file("one"));
    expect(shared).toMatchObject({ code: 2, out: "" });
    expect(shared.error).toContain("Expected another file than --out for --trace");
    expect((await plan("--trace", file("no/trace.json"))).error).toContain("ENOENT");
    mkdirSync(file("taken"));
    const taken = await plan("--trace", file("taken"), "--overwrite");
    expect(taken.error).toMatch(/taken: the output cannot be written: E/);
    expect(readdirSync(file("."))).not.toContain("one");
    expect(readdirSync(file(".")).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("refuses options that would have no effect", async () => {
    const dry = await plan("--dry-run", "--out", file("dry.bin"));
    expect(dry.code).toBe(2);
    expect(dry.error).toContain("--dry-run has a meaning only with --megatron-cache");
    expect(existsSync(file("dry.bin"))).toBe(false);
    expect((await plan("--micro-batch", "2")).error).toContain("--micro-batch has a meaning only");
    expect((await plan("--steps", "0")).error).toContain("for --steps but received 0");
  });

  it.each([
    [["--as", "ndjson"], "--as has a meaning only with --out"],
    [["--out", "-", "--as", "binary"], "--out - writes NDJSON; --as binary needs a file"],
    [["--trace-steps", "3"], "--trace-steps has a meaning only with --trace"],
    [["--column", "size"], "--column has no meaning for"],
    [["--tiles", "--cp", "1G"], "(--pool-size × --cp) but received 1,073,741,824"],
    [["--trace", "t.json", "--cp", "1M"], "slices in a trace"],
    [["--token-bytes", "4"], "lengths.txt, which is text; it has one for tokens, dolma, mds"],
    [["--megatron-cache", "x", "--seed", "3"], "--window has no meaning with --megatron-cache"],
  ])("does not pass over %j", async (words, message) => {
    const { code, out, error } = await plan(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(message);
    expect(error.endsWith("(libra COMMAND --help explains)\n")).toBe(true);
  });

  it("names flags where the sampler names its options", async () => {
    expect((await plan("--pool-size", "3")).error).toContain(
      "Expected a divisor of --dp (4) for --pool-size but received 3",
    );
    const few = await plan("--micro-steps", "1000");
    expect(few.error).toContain(
      "(--dp × --micro-steps) but the corpus fills 34; lower --dp or --micro-steps or the window, or pass --no-drop-last",
    );
    expect((await plan("--order", "snail")).code).toBe(2);
    writeFileSync(file("long.txt"), "9000\n10\n");
    const words = ["plan", file("long.txt"), "--dp", "1", "--window", "4K", "--overlong", "error"];
    expect((await run(words)).error).toContain('choose --overlong "split"');
  });

  it("asks before it plans for hours", async () => {
    writeFileSync(file("endless.txt"), "4294967295\n");
    const words = ["plan", file("endless.txt"), "--dp", "1", "--window", "8"];
    const { code, error } = await run(words);
    expect(code).toBe(2);
    expect(error).toContain("The epoch has about 536,870,911 packed sequences");
    expect(error).toContain("--steps 536870911 for all");
    const step = await plan("--micro-steps", "1000000", "--no-drop-last");
    expect(step.code).toBe(2);
    expect(step.error).toContain("(--dp × --micro-steps) but received 4,000,000");
  });

  it("names the profile that it cannot use", async () => {
    writeFileSync(file("no-profile.json"), "no JSON");
    const { code, error } = await plan("--profile", file("no-profile.json"));
    expect(code).toBe(1);
    expect(error).toContain(`${file("no-profile.json")}: The calibration profile is no JSON`);
  });

  // Case D5.
  it.each(["step", "microStep"])(
    "draws a Chrome trace whose lanes sum to the costs (%s)",
    async (sync) => {
      const path = file(`trace-${sync}.json`);
      const { code } = await plan(
        "--pool-size",
        "2",
        "--cp",
        "3",
        "--sync",
        sync,
        "--trace",
        path,
        "--trace-steps",
        "2",
        "--out",
        file(`${sync}.ndjson`),
      );
      expect(code).toBe(0);
      const { traceEvents } = JSON.parse(readFileSync(path, "utf8"));
      const slices = traceEvents.filter(({ ph }: { ph: string }) => ph === "X");
      const lanes = new Set(slices.map(({ tid }: { tid: number }) => tid));
      expect(lanes.size).toBe(12);
      const names = traceEvents.filter(({ name }: { name: string }) => name === "thread_name");
      expect(names).toHaveLength(12);
      let costs = 0;
      let seen = 0;
      for await (const step of readPlanNdjson(file(`${sync}.ndjson`))) {
        if (seen++ < 2) for (const workload of step.workload) costs += workload;
      }
      const sum = slices.reduce((total: number, { dur }: { dur: number }) => total + dur, 0);
      expect(sum / costs).toBeCloseTo(1, 12);
      for (const lane of lanes) {
        const own = slices.filter(({ tid }: { tid: number }) => tid === lane);
        for (let i = 1; i < own.length; i++) {
          expect(own[i].ts).toBeGreaterThanOrEqual(own[i - 1].ts + own[i - 1].dur - 1e-6);
        }
      }
    },
  );

  it("plans other epochs and incomplete steps", async () => {
    const first = JSON.parse((await plan("--json", "--no-drop-last")).out);
    const second = JSON.parse((await plan("--json", "--no-drop-last", "--epoch", "3")).out);
    expect(first.fillers).toBeGreaterThan(0);
    expect(second.configuration.epoch).toBe(3);
    expect(second.skew).not.toEqual(first.skew);
    const ordered = JSON.parse(
      (await plan("--json", "--no-shuffle", "--placement", "arrival")).out,
    );
    expect(ordered.skew.after).toEqual(ordered.skew.before);
  });

  it("chooses the pool size", async () => {
    const { out } = await plan("--pool-size", "auto");
    expect(out).toContain("pool size");
    const summary = JSON.parse((await plan("--pool-size", "auto", "--json")).out);
    const { candidates, recommended, reason } = summary.poolSizeChoice;
    expect(candidates.map(({ poolSize }: { poolSize: number }) => poolSize)).toEqual([1, 2, 4]);
    expect(summary.configuration.poolSize).toBe(recommended);
    expect(out).toContain(reason);
    const megatron = await run([
      "plan",
      "--megatron-cache",
      "x",
      "--dp",
      "2",
      "--pool-size",
      "auto",
    ]);
    expect(megatron.error).toContain("a number with --megatron-cache for --pool-size");
  });

  it("takes costs from a calibration profile, and says when a placement changes the steps", async () => {
    const pass = { launch: 0, pairs: 2e-12, rows: 1e-8, keys: 0, segment: 1e-6 };
    const fit = { median: 0.01, largest: 0.05 };
    const profile = {
      version: 1,
      device: "test",
      kernel: "cpu",
      dtype: "float32",
      headDim: 64,
      rowBlock: 16,
      date: "2025-01-01",
      coefficients: { forward: pass, backward: pass },
      error: { forward: fit, backward: fit },
    };
    writeFileSync(file("profile.json"), JSON.stringify(profile));
    const pairs = JSON.parse((await plan("--json")).out);
    const ran = await plan("--json", "--profile", file("profile.json"));
    expect(ran.error).toBe("");
    expect(JSON.parse(ran.out).skew.before).not.toEqual(pairs.skew.before);
    expect((await plan("--profile", file("none.json"))).error).toContain("a calibration profile");
    const wlb = await plan("--placement", "wlb");
    expect(wlb.out).toContain("the placement changed the steps");
  });

  it("teaches", async () => {
    const { code, out } = await run(["plan", "--help"]);
    expect(code).toBe(0);
    for (const part of [
      "What it does",
      "Reading the table",
      "LENGTHS",
      "Examples",
      "--pool-size",
      "Pickles are refused",
    ]) {
      expect(out).toContain(part);
    }
  });
});

describe("wrong usage", () => {
  it.each([
    [["plan"], 2, "required option '--dp <n>' not specified"],
    [["plan", "--dp", "4"], 2, "a file or folder with document lengths"],
    [["plan", "x", "--dp", "4"], 2, "Expected --window TOKENS but received none"],
    [["plan", "x", "--dp", "two"], 2, "Expected a number such as 4096, 128K or 1M."],
    [
      ["plan", "nowhere.npy", "--dp", "2", "--window", "8"],
      1,
      "nowhere.npy: expected a readable file",
    ],
    [
      ["plan", "x", "--dp", "2", "--sync", "never"],
      2,
      "Allowed choices are step, microStep, pipeline",
    ],
    [["plam"], 2, "unknown command 'plam'"],
  ])("%j", async (argv, code, message) => {
    const ran = await run(argv as string[]);
    expect(ran.error).toContain(message);
    expect(ran.code).toBe(code);
  });

  it("passes on what the sampler says", async () => {
    expect((await plan("--pool-size", "3")).error).toContain("valid: 1, 2, 4");
    expect((await plan("--placement", "snail")).error).toContain("Expected one of");
    writeFileSync(file("empty.jsonl"), "");
    const empty = await run(["plan", file("empty.jsonl"), "--format", "jsonl", ...shape]);
    expect(empty.error).toContain("there is no document in it");
  });
});
