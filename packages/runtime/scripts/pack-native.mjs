// Puts the native sources, and the licence, into the package for packing; `--remove` takes them out.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./native-tools.mjs";

const repository = join(root, "..", "..");
const target = join(root, "native");
rmSync(target, { recursive: true, force: true });
if (!process.argv.includes("--remove")) {
  for (const part of ["CMakeLists.txt", "CMakePresets.json", "include", "src"]) {
    cpSync(join(repository, "native", part), join(target, part), { recursive: true });
  }
}
