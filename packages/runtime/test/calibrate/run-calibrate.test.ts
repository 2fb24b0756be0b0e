import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseProfile } from "@libra/cost-model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCalibrate } from "../../src/index.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "libra-calibrate-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...argv: string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runCalibrate(argv, {
    print: (line) => lines.push(line),
    printError: (text) => errors.push(text),
  });
  return { code, lines, errors };
}

const quick = ["--seconds", "1", "--longest", "128"];

describe("libra calibrate", () => {
  it("measures, and writes a profile and a cluster description", { timeout: 60_000 }, async () => {
    const out = join(folder, "profile.json");
    const cluster = join(folder, "cluster.yaml");
    const { code, lines, errors } = await run("--out", out, "--cluster", cluster, ...quick);
    expect(code).toBe(0);
    const profile = parseProfile(readFileSync(out, "utf8"));
    expect(profile).toMatchObject({ dtype: "float32", headDim: 64 });
    expect(profile.coefficients.backward.pairs).toBeGreaterThan(0);
    expect(profile.error.heldOut!.calls).toBe(22);
    expect(lines.join("\n")).toMatch(/error on 22 held-out calls: median [\d.]+ %, p95 [\d.]+ %/);
    for (const part of ["attention", "linear operators", "row operators", "exchange"]) {
      expect(errors).toContain(`${part}: 100 %`);
    }
    const text = readFileSync(cluster, "utf8");
    expect(text).toContain("attention: { profile: ");
    expect(text).toMatch(/ranksPerNode: 2\n/);
    expect(text).toMatch(/rowBandwidthGBs: [\d.]+\n/);
    expect(text).toContain("copies: compute\n");
    // Nothing half-written stays.
    expect(readdirSync(folder).sort()).toEqual(["cluster.yaml", "profile.json"]);
  });

  it("keeps a file that is there, before it measures", async () => {
    const out = join(folder, "kept.json");
    writeFileSync(out, "mine");
    const { code, errors } = await run("--out", out, ...quick);
    expect(code).toBe(1);
    expect(errors).toEqual([
      `libra calibrate: ${out}: the output exists; remove it or pass --overwrite`,
    ]);
    expect(readFileSync(out, "utf8")).toBe("mine");
  });

  it("refuses wrong usage in one line, with code 2", async () => {
    const unknown = await run("--secnds", "3");
    expect(unknown.code).toBe(2);
    expect(unknown.errors[0]).toContain("did you mean --seconds?");
    expect(await run("--head-dim", "0.5")).toMatchObject({
      code: 2,
      errors: [
        'libra calibrate: Expected a whole number from 1 to 256 for --head-dim but received "0.5"',
      ],
    });
    expect(await run("--seconds", "-1")).toMatchObject({
      code: 2,
      errors: [
        "libra calibrate: Option '--seconds' argument is ambiguous. libra calibrate --help explains",
      ],
    });
  });

  it("refuses a folder that is not there, and helps", async () => {
    const { code, errors } = await run("--out", join(folder, "no", "where.json"));
    expect(code).toBe(1);
    expect(errors[0]).toContain("does not exist");
    expect((await run("--help")).lines[0]).toContain("Usage: libra calibrate");
  });
});
