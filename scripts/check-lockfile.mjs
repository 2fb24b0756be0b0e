// Fails when pnpm-lock.yaml names a host: the lockfile must install from any registry.
import { readFileSync } from "node:fs";

const lock = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
const lines = lock.split("\n").flatMap((text, i) => (/https?:\/\//.test(text) ? [i + 1] : []));
if (lines.length > 0) {
  console.error(`pnpm-lock.yaml names a host in line(s) ${lines.slice(0, 5).join(", ")}`);
  process.exit(1);
}
