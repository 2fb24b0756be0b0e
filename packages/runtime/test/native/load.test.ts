import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { instructionSets } from "../../src/index.js";
import { buildAdvice, load } from "../../src/native/load.js";

const folder = mkdtempSync(join(tmpdir(), "libra-load-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("loader", () => {
  it("loads the addon built here", () => {
    expect(instructionSets()).toContain("base");
    expect(load({})).toHaveProperty("worldCreate");
  });

  it("says what is wrong with a file that is no addon", () => {
    const path = join(folder, "libra.node");
    writeFileSync(path, "not an addon");
    expect(() => load({ LIBRA_NATIVE: path })).toThrow(
      /unset LIBRA_NATIVE, which is tried alone, or build it with "node scripts\/pnpm.mjs run build" at .*\nTried:\n {2}LIBRA_NATIVE .*libra\.node: .+/,
    );
  });

  it("advises to unset only what is set", () => {
    const built = { name: "built here", path: "/none", problem: "no such file" };
    expect(buildAdvice([built])).toMatch(/^build it with "node scripts\/pnpm.mjs run build"/);
    expect(buildAdvice([built], join(folder, "node_modules", "@libra", "runtime"))).toBe(
      'build it with "npx libra-build-native" (needs a C++20 compiler)',
    );
  });

  it("says that a file is missing", () => {
    expect(() => load({ LIBRA_NATIVE: join(folder, "none.node") })).toThrow(
      /none\.node: no such file/,
    );
  });
});
