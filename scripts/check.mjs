// Runs the checks that follow the tests, each timed; stops at the first that fails.
// Usage: pnpm run check [NAME …]    (no name: all)
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => `${root}/node_modules/.bin/${name}`;
const node = process.execPath;
const checks = {
  packages: [bin("turbo"), "run", "typecheck", "lint:package", "--output-logs=errors-only"],
  style: [bin("biome"), "ci", "--colors=off", "."],
  native: [node, "scripts/format-native.mjs", "--check"],
  unused: [bin("knip")],
  imports: [bin("depcruise"), "packages", "apps", "--config", ".dependency-cruiser.cjs"],
  versions: [bin("syncpack"), "lint"],
  bindings: [node, "packages/runtime/scripts/check-bindings.mjs"],
  lockfile: [node, "scripts/check-lockfile.mjs"],
  browser: [node, "packages/report/scripts/check-browser.mjs"],
  x86: [node, "packages/runtime/scripts/check-emulated.mjs", "x86"],
  arm64: [node, "packages/runtime/scripts/check-emulated.mjs", "arm64"],
  asan: [node, "packages/runtime/scripts/test-native.mjs", "--preset", "asan"],
  tsan: [node, "packages/runtime/scripts/test-native.mjs", "--preset", "tsan"],
};

const names = process.argv.slice(2);
for (const name of names) {
  if (!(name in checks)) {
    console.error(`No check is called ${name}. Choose from: ${Object.keys(checks).join(", ")}`);
    process.exit(2);
  }
}
for (const name of names.length > 0 ? names : Object.keys(checks)) {
  const [command, ...args] = checks[name];
  const start = Date.now();
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`check ${name}: ${status === 0 ? "ok" : "FAILED"} (${seconds} s)`);
  if (status !== 0) process.exit(status ?? 1);
}
