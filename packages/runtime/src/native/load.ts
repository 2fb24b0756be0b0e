import { existsSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LibraError } from "@libra/base";
import type { AddonOnly, Binding } from "./binding.js";
import { probe } from "./probe.js";

const require = createRequire(import.meta.url);

/** The folder of the package: the same number of levels above src/native/ and above dist/. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** An addon to try: its path, or why there is none. */
type Candidate = { name: string; path: string } | { name: string; missing: string };

function candidates(environment: Record<string, string | undefined>): Candidate[] {
  const explicit = environment.LIBRA_NATIVE;
  if (explicit !== undefined) return [{ name: "LIBRA_NATIVE", path: explicit }];
  const prebuilt = `@libra/runtime-${process.platform}-${process.arch}`;
  const built = { name: "built here", path: join(packageRoot(), "build", "release", "libra.node") };
  try {
    return [built, { name: prebuilt, path: require.resolve(`${prebuilt}/libra.node`) }];
  } catch {
    return [built, { name: prebuilt, missing: "the package is not installed" }];
  }
}

/** An addon that was tried, and what was wrong with it. */
export interface Attempt {
  /** Where it comes from: `LIBRA_NATIVE`, `built here` or the prebuilt package's name. */
  readonly name: string;
  readonly path?: string;
  /** Absent when it loads. */
  readonly problem?: string;
}

/**
 * Tries addons until one loads: `LIBRA_NATIVE` alone if set, else the one built in this package, else
 * the prebuilt package of this platform. Each is loaded in a child process only.
 */
export function tryAddons(environment: Record<string, string | undefined>): Attempt[] {
  const attempts: Attempt[] = [];
  for (const candidate of candidates(environment)) {
    if ("missing" in candidate) {
      attempts.push({ name: candidate.name, problem: candidate.missing });
      continue;
    }
    const problem = existsSync(candidate.path) ? probe(candidate.path) : "no such file";
    if (problem === undefined) return [...attempts, candidate];
    attempts.push({ ...candidate, problem });
  }
  return attempts;
}

/** What to do when none of these attempts loaded. */
export function buildAdvice(attempts: readonly Attempt[], root = packageRoot()): string {
  // In a clone npx finds no such command, and would ask the registry for it.
  const installed = root.split(sep).includes("node_modules");
  const command = installed ? "npx libra-build-native" : "node scripts/pnpm.mjs run build";
  const where = installed ? "" : " at the repository's root";
  const build = `build it with "${command}"${where} (needs a C++20 compiler)`;
  const named = attempts.some(({ name }) => name === "LIBRA_NATIVE");
  return named ? `unset LIBRA_NATIVE, which is tried alone, or ${build}` : build;
}

/**
 * Loads the first addon that does.
 *
 * @throws LibraError NATIVE: every path tried, what was wrong with each, and how to build it
 */
export function load(
  environment: Record<string, string | undefined> = process.env,
): Binding & AddonOnly {
  const attempts = tryAddons(environment);
  const { path, problem } = attempts.at(-1)!;
  if (path !== undefined && problem === undefined) {
    const addon: Binding & AddonOnly = require(path);
    addon.setErrorClass(LibraError);
    process.once("exit", () => drain(addon));
    return addon;
  }
  const tried = attempts.map(({ name, path, problem }) =>
    path === undefined ? `  ${name}: ${problem}` : `  ${name} ${path}: ${problem}`,
  );
  throw new LibraError(
    "NATIVE",
    `The native part of @libra/runtime did not load: ${buildAdvice(attempts)}.\nTried:\n${tried.join("\n")}`,
    { details: { tried } },
  );
}

/** Long enough for a step in flight, short enough for a person who ends the process. */
const drainMs = 5000;

/** Queued work is not dropped in silence, however the process ends. */
function drain(addon: Binding): void {
  const dropped = addon.environmentDrain(drainMs);
  if (dropped > 0) writeSync(2, `libra: ${dropped} queued operation(s) were dropped at exit\n`);
}
