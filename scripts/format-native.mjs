// Formats the native sources with the pinned clang-format.
// Usage: node scripts/format-native.mjs [--check]
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = execFileSync("git", ["ls-files", "-z", "native"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => /\.(cc|cpp|h|hpp|inc|cu|cuh)$/.test(path));
const clangFormat = createRequire(import.meta.url).resolve("clang-format-node/build/cli.js");
const mode = process.argv.includes("--check") ? ["--dry-run", "-Werror"] : ["-i"];
if (sources.length > 0) {
  execFileSync(process.execPath, [clangFormat, ...mode, ...sources], {
    cwd: root,
    stdio: "inherit",
  });
}
