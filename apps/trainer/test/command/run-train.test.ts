import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandOptions } from "../../src/command/attempt.js";
import { runCommand } from "../../src/command/run.js";
import { runTrain } from "../../src/command/train.js";
import { temporaryFolder } from "../support/folder.js";

/** A folder with a small corpus and a configuration of a small model. */
function prepared(): { folder: string; config: string } {
  const folder = temporaryFolder();
  const line = (i: number) =>
    JSON.stringify({ text: `line ${i} says ${"one two three ".repeat(i % 40)}` });
  writeFileSync(
    join(folder, "corpus.jsonl"),
    Array.from({ length: 120 }, (_, i) => line(i)).join("\n"),
  );
  const config = join(folder, "train.yaml");
  writeFileSync(
    config,
    `name: small
output: ${folder}/runs
steps: 4
model: { layers: 2, hidden: 32, queryHeads: 4, kvHeads: 2, headDim: 8, intermediate: 48 }
data: { corpus: jsonl, paths: ["${folder}/corpus.jsonl"], vocabularySize: 64, lengthScale: 0.5 }
batch: { window: 64 }
`,
  );
  return { folder, config };
}

async function run(argv: string[], options: CommandOptions = {}) {
  const lines: string[] = [];
  const errors: string[] = [];
  const print = (line: string) => lines.push(line);
  const printError = (message: string) => errors.push(message);
  const code = await runTrain(argv, { ...options, print, printError });
  return { code, text: lines.join("\n"), errors: errors.join("\n") };
}

describe("libra train", { timeout: 60_000 }, () => {
  it("trains, says what it does and names its files", async () => {
    const { folder, config } = prepared();
    const { code, text, errors } = await run([config]);
    expect(errors).toBe("");
    expect(code).toBe(0);
    expect(text).toMatch(/lengthScale 0.5: every document is cut to that part/);
    expect(text).toMatch(/Σmax ÷ Σmean of attention work over replicas is \d\.\d{3}/);
    expect(text).toMatch(/so this is [\d.]+ epochs/);
    expect(text).toMatch(
      /step 4\/4 {2}loss \d.*tokens\/s {2}skew .* → .*attention .*exchange .*wait/,
    );
    expect(text).toMatch(/wrote .*metrics.jsonl.*log.jsonl.*\.idx.*\.bin.*checkpoint-4/);
    const metrics = readFileSync(join(folder, "runs/small/metrics.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(metrics.map((line) => JSON.parse(line).step)).toEqual([1, 2, 3, 4]);
    expect(JSON.parse(metrics[0]!)).toHaveProperty("attention.median");
  });

  it.each([
    [
      { RANK: "2" },
      /^libra train: .*half set: WORLD_SIZE missing beside RANK=2; unset it: all ranks/,
    ],
    [{ RANK: "4", WORLD_SIZE: "4" }, /RANK but received "4"; unset it/],
    [
      { SLURM_PROCID: "1", SLURM_NTASKS: "4" },
      /^libra train: The environment makes this process rank 1 of 4 \(slurm\), but all ranks .*layout.dp/,
    ],
  ])("says in a line that it takes no ranks from %j", async (environment, message) => {
    const { folder, config } = prepared();
    const { code, errors } = await run([config], { environment });
    expect(code).toBe(1);
    expect(errors).toMatch(message);
    expect(errors).not.toContain("\n");
    expect(readdirSync(folder)).not.toContain("runs");
    expect((await run(["--help"], { environment })).code).toBe(0);
  });

  it("goes on where it stopped, and does not mix with an older run", async () => {
    const { folder, config } = prepared();
    expect((await run([config, "--set", "steps=2"])).code).toBe(0);
    const again = await run([config]);
    expect(again.code).toBe(1);
    expect(again.errors).toMatch(/checkpoint-2 is there from an earlier run; go on with --resume/);
    const resumed = await run([config, "--resume"]);
    expect(resumed.code).toBe(0);
    expect(resumed.text).toMatch(/resume: .*checkpoint-2, 2 steps done/);
    const metrics = readFileSync(join(folder, "runs/small/metrics.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(metrics.map((line) => JSON.parse(line).step)).toEqual([1, 2, 3, 4]);
    const fresh = await run([config, "--set", "checkpoint.overwrite=true", "--set", "steps=1"]);
    expect(fresh.code).toBe(0);
    expect(
      readdirSync(join(folder, "runs/small")).filter((name) => name.startsWith("checkpoint")),
    ).toEqual(["checkpoint-1"]);
  });

  it.each([
    ["float32", "bfloat16"],
    ["bfloat16", "float32"],
  ])("resumes a checkpoint of %s in %s", async (before, after) => {
    const { config } = prepared();
    const losses = (text: string) =>
      [...text.matchAll(/loss ([\d.]+)/g)].map(([, loss]) => Number(loss));
    const whole = await run([config, "--set", `dtype=${after}`, "--set", "name=whole"]);
    await run([config, "--set", `dtype=${before}`, "--set", "steps=2"]);
    const { code, text } = await run([config, "--set", `dtype=${after}`, "--resume"]);
    expect(code).toBe(0);
    expect(text).toMatch(/checkpoint-2, 2 steps done/);
    // Nearer than two steps without the checkpoint's weights and moments would be.
    for (const [i, loss] of losses(text).entries()) {
      expect(Math.abs(loss - losses(whole.text)[i + 2]!)).toBeLessThan(0.002);
    }
    expect(losses(text)).toHaveLength(2);
  });

  it("says when a resumed run has no steps left", async () => {
    const { config } = prepared();
    await run([config, "--set", "steps=2"]);
    const { code, text } = await run([config, "--set", "steps=1", "--resume"]);
    expect(code).toBe(0);
    expect(text).toContain(
      "steps: 2 are done and steps is 1, so none are left; raise steps to go on",
    );
  });

  it("starts from a saved model", async () => {
    const { folder, config } = prepared();
    await run([config]);
    const path = join(folder, "runs/small/checkpoint-4");
    const more = await run([config, "--set", "name=more", "--set", `model.path=${path}`]);
    expect(more.errors).toBe("");
    const loss = (text: string, step: number) =>
      Number(new RegExp(`step ${step}/4 {2}loss ([\\d.]+)`).exec(text)?.[1]);
    const first = await run([config, "--set", "name=other"]);
    expect(loss(more.text, 1)).toBeLessThan(loss(first.text, 1));
  });

  it("does the steps since the newest checkpoint again, once in the metrics", async () => {
    const { folder, config } = prepared();
    const every = ["--set", "checkpoint.every=2"];
    await run([config, ...every]);
    // As after a crash in step 4: its record is there, its checkpoint is not, the last line is half.
    rmSync(join(folder, "runs/small/checkpoint-4"), { recursive: true });
    const path = join(folder, "runs/small/metrics.jsonl");
    appendFileSync(path, '{"step":');
    expect((await run([config, ...every, "--resume"])).code).toBe(0);
    const steps = readFileSync(path, "utf8").trim().split("\n");
    expect(steps.map((line) => JSON.parse(line).step)).toEqual([1, 2, 3, 4]);
  });

  it("says when there is nothing to resume", async () => {
    const { config } = prepared();
    const { code, text } = await run([config, "--resume", "--set", "steps=1"]);
    expect(code).toBe(0);
    expect(text).toMatch(/resume: .*small has no checkpoint, the run starts at the beginning/);
  });

  it("keeps an older run's checkpoints until the new run is ready", async () => {
    const { folder, config } = prepared();
    await run([config, "--set", "steps=1"]);
    const wrong = ["--set", "checkpoint.overwrite=true", "--set", "data.paths=[/nowhere]"];
    expect((await run([config, ...wrong])).errors).toMatch(/data.paths: cannot read \/nowhere/);
    expect(readdirSync(join(folder, "runs/small"))).toContain("checkpoint-1");
  });

  it("stops when the loss is no number, and saves nothing", async () => {
    const { folder, config } = prepared();
    const { code, errors } = await run([config, "--set", "optimizer.learningRate=1e300"]);
    expect(code).toBe(1);
    expect(errors).toMatch(/step 2 has loss NaN .*lower optimizer.learningRate/);
    expect(readdirSync(join(folder, "runs/small")).sort()).toEqual(["log.jsonl", "metrics.jsonl"]);
  });

  it("stops at an interrupt while it tokenises", async () => {
    const { folder, config } = prepared();
    const print = (line: string) => {
      if (line.includes("tokenising")) process.emit("SIGINT", "SIGINT");
    };
    const errors: string[] = [];
    const code = await runTrain([config], { print, printError: (text) => errors.push(text) });
    expect(code).toBe(1);
    expect(errors).toEqual(["libra train: Tokenising was aborted: received SIGINT"]);
    expect(readdirSync(join(folder, "runs"))).toEqual(["small"]);
  });

  it.each(["/proc/libra", "/dev/null/runs", "/dev/null"])("names the output %s", async (output) => {
    const { config } = prepared();
    const { code, errors } = await run([config, "--set", `output=${output}`]);
    expect(code).toBe(1);
    expect(errors).toMatch(/expected a folder that can be made and written .*choose another/);
    expect(errors).not.toContain("\n");
  });

  it("prints its usage", async () => {
    expect((await run(["--help"])).text).toMatch(/usage: libra train/);
  });

  it.each([
    [["--set", "steps=0"], /steps: Expected a number of at least 1 but received 0|above 0/],
    [["--set", "steps=[1"], /steps=\[1: the value is no YAML: Flow sequence .*/],
    [["/nowhere.yaml"], /Cannot read \/nowhere.yaml/],
    [["--set", "model.path=/nowhere"], /Cannot read \/nowhere\/config.json/],
  ])("refuses %j with exit code 1 and one message", async (argv, message) => {
    const { config } = prepared();
    const { code, errors } = await run(argv[0]!.startsWith("/") ? argv : [config, ...argv]);
    expect(code).toBe(1);
    expect(errors).toMatch(message);
  });

  it.each([
    [
      ["--ranks", "3", "--set", "layout.cp=2"],
      "--ranks: Expected a positive multiple of cp 2 but received 3",
    ],
    [["--rank", "3"], "Unknown option '--rank'; did you mean --ranks? libra train --help explains"],
    [["--set"], "Option '--set <value>' argument missing. libra train --help explains"],
    [["--resume=no"], "Option '--resume' does not take an argument. libra train --help explains"],
  ])("refuses %j with exit code 2 and one line", async (argv, message) => {
    const { config } = prepared();
    const { code, errors } = await run([config, ...argv]);
    expect({ code, errors }).toEqual({ code: 2, errors: `libra train: ${message}` });
  });

  it("fails with the culprit's name when a rank throws, within the timeout", async () => {
    const { folder, config } = prepared();
    const started = performance.now();
    const { code, errors } = await run([config, "--ranks", "3"], {
      listener: {
        beforeStep(rank, step) {
          if (rank === 2 && step === 2) throw new Error("out of paper");
        },
      },
    });
    expect(code).toBe(1);
    expect(errors).toBe("libra train: Rank 2 failed: out of paper");
    expect(performance.now() - started).toBeLessThan(30_000);
    const files = readdirSync(join(folder, "runs/small"));
    expect(files.sort()).toEqual(["log.jsonl", "metrics.jsonl"]);
    const metrics = readFileSync(join(folder, "runs/small/metrics.jsonl"), "utf8");
    expect(metrics).toMatch(/^(\{.*\}\n)+$/);
  });
});

describe("the trainer's command line", { timeout: 60_000 }, () => {
  it("lists its commands", async () => {
    const errors: string[] = [];
    const code = await runCommand(["fly"], { printError: (message) => errors.push(message) });
    expect(code).toBe(2);
    expect(errors).toEqual(["Expected one of train, demo but received fly"]);
  });
});
