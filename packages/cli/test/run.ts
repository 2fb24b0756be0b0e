import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Io, runCli } from "../src/index.js";

export interface Ran {
  code: number;
  out: string;
  error: string;
}

/** Runs the command line in this process and keeps what it prints. */
export async function run(argv: readonly string[], load?: Io["load"]): Promise<Ran> {
  let out = "";
  let error = "";
  const code = await runCli(argv, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    terminal: false,
    colors: false,
    load: load ?? ((name) => import(/* @vite-ignore */ name)),
  });
  return { code, out, error };
}

/** A folder for one test file. */
export function useFolder(): (name: string) => string {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "libra-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
