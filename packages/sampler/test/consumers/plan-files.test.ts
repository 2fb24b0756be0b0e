import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { LibraError } from "@libra/base";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAtomically } from "../../src/consumers/atomic-file.js";
import { writePlanBinary } from "../../src/consumers/plan-binary.js";
import { planLines, readPlanNdjson, writePlanNdjson } from "../../src/consumers/plan-ndjson.js";
import { openPlanBinary } from "../../src/consumers/read-plan-binary.js";
import { planHash } from "../../src/plan/plan-hash.js";
import type { StepPlan } from "../../src/plan/step-plan.js";
import { createSampler } from "../../src/sampler.js";
import { lengthsFingerprint } from "../../src/sources/fingerprint.js";
import { lognormalLengths } from "../helpers.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "libra-plans-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lengths = lognormalLengths(600, 3);
const shape = { window: 8192, dp: 4, microSteps: 3, poolSize: 2 } as const;

function epoch(options: object = {}): StepPlan[] {
  const sampler = createSampler({ lengths, ...shape, ...options });
  return Array.from({ length: sampler.stepsPerEpoch }, (_, step) => sampler.plan(0, step));
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function failure(promise: Promise<unknown>): Promise<LibraError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LibraError);
  return error as LibraError;
}

describe("NDJSON", () => {
  it("gives back equal plans, hash by hash", async () => {
    const plans = epoch({ dropLast: false });
    const path = join(folder, "plan.ndjson");
    const fingerprint = await lengthsFingerprint(lengths);
    expect(await writePlanNdjson(path, plans, { fingerprint })).toBe(plans.length);
    const read = await collect(readPlanNdjson(path));
    expect(read).toEqual(plans);
    expect(read.map(planHash)).toEqual(plans.map(planHash));
    const header = JSON.parse(readFileSync(path, "utf8").split("\n")[0]!);
    expect(header).toMatchObject({ kind: "libra-plan", version: 1, ...shape, fingerprint });
    const zipped = join(folder, "plan.ndjson.gz");
    writeFileSync(zipped, gzipSync(readFileSync(path)));
    expect((await collect(readPlanNdjson(zipped))).length).toBe(plans.length);
  });

  it("notices a changed number and a cut line", async () => {
    const path = join(folder, "changed.ndjson");
    const text = (await collect(planLines(epoch()))).join("");
    writeFileSync(path, text.replace('"segmentLength":[', '"segmentLength":[1,'));
    expect((await failure(collect(readPlanNdjson(path)))).message).toMatch(
      /line 2 to have the hash/,
    );
    writeFileSync(path, text.slice(0, 3000));
    expect((await failure(collect(readPlanNdjson(path)))).message).toMatch(/JSON on line \d+/);
    writeFileSync(path, '{"kind":"other"}\n');
    expect((await failure(collect(readPlanNdjson(path)))).message).toContain(
      "header of a Libra plan",
    );
  });
});

describe("binary", () => {
  it("gives back every column of every step", async () => {
    const plans = epoch({ dropLast: false, sync: "microStep" });
    const path = join(folder, "plan.bin");
    const fingerprint = await lengthsFingerprint(lengths);
    await writePlanBinary(path, plans, { fingerprint });
    const stored = await openPlanBinary(path);
    expect(stored).toMatchObject({ steps: plans.length, ...shape, sync: "microStep", fingerprint });
    for (const index of [plans.length - 1, 0, 2]) {
      const step = await stored.read(index);
      const plan = plans[index]!;
      expect(step).toMatchObject({ epoch: 0, step: plan.step });
      expect(step.sequence).toEqual(plan.sequence);
      expect(Array.from(step.weight)).toEqual(Array.from(plan.weight));
      expect(step.segmentOffsets).toEqual(plan.segmentOffsets);
      expect(step.segmentDocument).toEqual(plan.segmentDocument);
      expect(step.segmentStart).toEqual(plan.segmentStart);
      expect(step.segmentLength).toEqual(plan.segmentLength);
    }
    await expect(stored.read(plans.length)).rejects.toThrow("for step but received");
  });

  it("refuses damage", async () => {
    const path = join(folder, "cut.bin");
    await writePlanBinary(path, epoch());
    writeFileSync(path, readFileSync(path).subarray(0, -4));
    expect((await failure(openPlanBinary(path))).message).toMatch(/at byte 16: expected a plan of/);
    writeFileSync(path, Buffer.alloc(200));
    expect((await failure(openPlanBinary(path))).message).toContain("expected LIBRAPLN");
  });
});

describe("outputs", () => {
  it("wants one shape and at least one step", async () => {
    const mixed = [epoch()[0]!, epoch({ dp: 2 })[0]!];
    const error = await failure(writePlanBinary(join(folder, "mixed.bin"), mixed));
    expect(error.message).toContain("has dp 2, but the file's first step has 4");
    expect((await failure(writePlanNdjson(join(folder, "none.ndjson"), []))).code).toBe("PLAN");
    expect(readdirSync(folder).filter((name) => /mixed|none|partial/.test(name))).toEqual([]);
  });

  it("does not touch an output that exists unless asked", async () => {
    const path = join(folder, "there.ndjson");
    writeFileSync(path, "old");
    const error = await failure(writePlanNdjson(path, epoch()));
    expect(error.message).toBe(
      `${path}: the output exists; remove it, or overwrite it (--overwrite on the command line)`,
    );
    expect(readFileSync(path, "utf8")).toBe("old");
    await writePlanNdjson(path, epoch(), { overwrite: true });
    expect(readFileSync(path, "utf8")).toMatch(/^{"kind":"libra-plan"/);
  });

  it("keeps the old file when the plan fails half way, and when another was faster", async () => {
    const path = join(folder, "half.ndjson");
    writeFileSync(path, "old");
    const plans = epoch();
    async function* failing() {
      yield plans[0]!;
      throw new Error("stop");
    }
    await expect(writePlanNdjson(path, failing(), { overwrite: true })).rejects.toThrow("stop");
    expect(readFileSync(path, "utf8")).toBe("old");
    const raced = join(folder, "raced.bin");
    const error = await failure(
      writeAtomically(raced, {}, async (file) => {
        await file.write(Buffer.from("mine"));
        writeFileSync(raced, "theirs");
      }),
    );
    expect(error.message).toContain("the output exists");
    expect(readFileSync(raced, "utf8")).toBe("theirs");
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  // A limit on the size of files makes a write fail half way as a full disk does, and needs no rights.
  it.skipIf(process.platform === "win32")("keeps the old file when the disk is full", () => {
    const path = join(folder, "full.bin");
    writeFileSync(path, "old");
    const base = createRequire(import.meta.url).resolve("@libra/base/package.json");
    transpile(join(dirname(base), "src/error.ts"), "error.mjs");
    transpile(
      fileURLToPath(new URL("../../src/consumers/atomic-file.ts", import.meta.url)),
      "atomic.mjs",
    );
    const main = join(folder, "main.mjs");
    writeFileSync(
      main,
      `import { writeAtomically } from "./atomic.mjs";
      await writeAtomically(${JSON.stringify(path)}, { overwrite: true }, async (file) => {
        for (let i = 0; i < 64; i++) await file.write(new Uint8Array(65536));
      }).catch((error) => console.log(error.code, error.message));`,
    );
    const limited = `ulimit -f 1024 && exec "${process.execPath}" "${main}"`;
    const output = execFileSync("sh", ["-c", limited], { encoding: "utf8" });
    expect(output).toContain("ENVIRONMENT");
    expect(output).toContain("could not be written; nothing was changed");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

function transpile(source: string, name: string): void {
  const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  writeFileSync(join(folder, name), outputText.replace("@libra/base", "./error.mjs"));
}
