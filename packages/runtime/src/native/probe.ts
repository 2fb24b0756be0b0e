import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";

/**
 * Whether an addon loads, tried in a child process: a binary of another machine can end a process
 * without an exception. The answer is kept beside the addon, so that only its first load pays.
 *
 * @param path - of the addon
 * @returns undefined if it loads, else why not
 */
export function probe(path: string): string | undefined {
  const { size, mtimeMs } = statSync(path);
  const stamp = `${size} ${mtimeMs} ${process.version} ${process.arch}\n`;
  const memo = `${path}.loads`;
  if (readIfAny(memo) === stamp) return undefined;
  const { status, signal, stderr, error } = spawnSync(
    process.execPath,
    ["-e", "require(process.argv[1])", path],
    { encoding: "utf8", timeout: 30_000, env: { ...process.env, NODE_OPTIONS: "" } },
  );
  if (error !== undefined) return `could not be probed: ${error.message}`;
  if (signal !== null) return `ends the process with ${signal}`;
  if (status !== 0) return firstError(stderr) ?? `ends the process with code ${status}`;
  try {
    writeFileSync(memo, stamp);
  } catch {
    // A read-only folder: every start probes.
  }
  return undefined;
}

function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function firstError(text: string): string | undefined {
  return /^(?:\w*Error): (.*)$/m.exec(text)?.[1];
}
