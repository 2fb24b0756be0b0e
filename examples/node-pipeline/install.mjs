// Installs @libra/sampler from packed tarballs, as a project outside the monorepo would from a registry.
// Usage: node install.mjs [FOLDER]   (default: this folder)
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const target = resolve(process.argv[2] ?? here);
const tarballs = join(target, "tarballs");

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

const pnpm = join(root, "scripts/pnpm.mjs");
rmSync(tarballs, { recursive: true, force: true });
mkdirSync(tarballs, { recursive: true });
run(process.execPath, [pnpm, "exec", "turbo", "run", "build", "--filter=@libra/sampler"], root);
// The sampler and the three pure TypeScript packages below it, none of which is on a registry yet.
for (const name of ["base", "cost-model", "topology", "sampler"]) {
  const folder = join(root, "packages", name);
  run(process.execPath, [pnpm, "pack", "--pack-destination", tarballs], folder);
}
if (target !== resolve(here)) {
  for (const name of ["package.json", "pipeline.mjs"]) cpSync(join(here, name), join(target, name));
}
const files = readdirSync(tarballs).map((name) => `./tarballs/${name}`);
run("npm", ["install", "--no-save", "--no-audit", "--no-fund", ...files], target);

let bytes = 0;
for (const entry of readdirSync(join(target, "node_modules"), {
  recursive: true,
  withFileTypes: true,
})) {
  if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
}
console.log(`@libra/sampler and everything below it: ${(bytes / 1e6).toFixed(2)} MB installed`);
