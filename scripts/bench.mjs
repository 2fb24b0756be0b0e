// Runs one benchmark by name. Usage: npm run bench -- NAME [arguments for the benchmark]
// A benchmark is packages/*/bench/NAME.bench.mjs (or apps/*); it runs against the built packages and
// prints one JSON object as its last line.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const found = new Map();
for (const folder of ["packages", "apps"]) {
  for (const name of readdirSync(`${root}/${folder}`)) {
    let files = [];
    try {
      files = readdirSync(`${root}/${folder}/${name}/bench`);
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
    }
    for (const file of files) {
      const match = /^(.*)\.bench\.mjs$/.exec(file);
      if (match) found.set(match[1], `${folder}/${name}/bench/${file}`);
    }
  }
}

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !found.has(name)) {
  const problem = name === undefined ? "Which benchmark?" : `No benchmark is called ${name}.`;
  console.error(`${problem} Choose one of: ${[...found.keys()].sort().join(", ")}`);
  process.exit(2);
}
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: "inherit" });
const built = run(process.execPath, ["scripts/pnpm.mjs", "--silent", "run", "build"]);
if (built.status !== 0) process.exit(built.status ?? 1);
const { status } = run(process.execPath, ["--expose-gc", found.get(name), ...rest]);
process.exitCode = status ?? 1;
