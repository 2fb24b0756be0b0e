import { spawn } from "node:child_process";

export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs the text of an ES module in a Node process of its own. */
export function runProgram(
  text: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  const begin = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
    timeout: 60_000,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += String(data);
  });
  child.stderr.on("data", (data) => {
    stderr += String(data);
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr, ms: performance.now() - begin });
    });
  });
}
