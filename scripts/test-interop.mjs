// Checks the packed sampler as its users install it, and its readers, plan files, orders and Megatron caches
// against the real Python libraries.
// Usage: npm run test:interop
// The latter need a Python 3 and a package index; without them they are skipped, with the reason. The
// environment lives in the system's temporary folder and is used again by later runs.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const sampler = join(root, "packages/sampler");
const requirements = ["torch", "numpy", "pyarrow", "datasets", "accelerate"];
const counts = { passed: 0, failed: 0, skipped: 0 };

class Skip extends Error {}

const environment = process.env.LIBRA_INTEROP_VENV ?? join(tmpdir(), `libra-interop-${digest()}`);
const folder = mkdtempSync(join(tmpdir(), "libra-interop-run-"));
try {
  build();
  section("node pipeline", () => {
    const install = join(root, "examples/node-pipeline/install.mjs");
    const output = must(process.execPath, [install, place("pipeline")]);
    const megabytes = Number(/([\d.]+) MB installed/.exec(output)?.[1]);
    if (!(megabytes < 3)) throw new Error(`the sampler installs ${megabytes} MB, not under 3`);
    const ran = must(process.execPath, ["pipeline.mjs"], join(folder, "pipeline"));
    if (!ran.includes("resumed with dp 4")) throw new Error(ran);
    checkConsumer(join(folder, "pipeline"));
    console.log(`node pipeline: ${megabytes} MB installed; ESM, CommonJS and strict types work`);
    return { passed: 1, failed: 0 };
  });
  const python = prepare();
  section("corpora", () => {
    must(python, ["python/write_corpora.py", place("corpora")]);
    return counted(process.execPath, ["scripts/read-corpora.mjs", join(folder, "corpora")]);
  });
  section("plans", () => {
    must(python, ["python/write_corpus.py", place("plans")]);
    must(process.execPath, ["scripts/make-plans.mjs", join(folder, "plans")]);
    return counted(python, ["python/check_plans.py", join(folder, "plans")]);
  });
} catch (error) {
  if (!(error instanceof Skip)) throw error;
  counts.skipped++;
  console.log(`skipped: ${error.message}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** The installed sampler in CommonJS, and in both module kinds under the strictest type checks. */
function checkConsumer(target) {
  const required = 'process.stdout.write(typeof require("@libra/sampler").createSampler)';
  const kind = must(process.execPath, ["-e", required], target);
  if (kind !== "function") throw new Error(`require gives createSampler of type ${kind}`);
  const program = `import { createSampler, cuSeqlensOf, openLengths, type SamplerState } from "@libra/sampler";
const sampler = createSampler({ lengths: [5, 4, 3], window: 6, dp: 1 });
const state: SamplerState = JSON.parse(JSON.stringify(sampler.state()));
sampler.restore(state);
export const borders: Int32Array = cuSeqlensOf(sampler.next(), 0);
export const source = openLengths("lengths.txt");
`;
  const files = ["consumer.mts", "consumer.cts"];
  for (const name of files) writeFileSync(join(target, name), program);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    module: "nodenext",
    target: "es2022",
    types: [],
  };
  writeFileSync(join(target, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  must(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", target]);
}

/** The environment's Python, installed on the first run. */
function prepare() {
  const python = join(
    environment,
    process.platform === "win32" ? "Scripts/python.exe" : "bin/python",
  );
  const ready = join(environment, ".libra-ready");
  if (existsSync(ready)) return python;
  console.log(`installing ${requirements.join(", ")} into ${environment}`);
  const made = run(process.env.LIBRA_PYTHON ?? "python3", ["-m", "venv", environment], root);
  if (made.status !== 0) throw new Skip(`no Python environment: ${last(made)}`);
  // Without --retries 0 an unreachable index takes minutes to say so.
  const pip = ["-m", "pip", "install", "--quiet", "--retries", "0", ...requirements];
  const installed = run(python, pip, root);
  if (installed.status !== 0) throw new Skip(`pip cannot install: ${last(installed)}`);
  writeFileSync(ready, "");
  return python;
}

function build() {
  const pnpm = [join(root, "scripts/pnpm.mjs"), "exec", "turbo", "run", "build"];
  must(process.execPath, [...pnpm, "--filter=@libra/sampler", "--output-logs=errors-only"], root);
}

function section(name, check) {
  try {
    const { passed, failed } = check();
    counts.passed += passed;
    counts.failed += failed;
  } catch (error) {
    counts.failed++;
    console.error(`${name}: ${error.message}`);
  }
}

function place(name) {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

/** Runs a part and reads its "N passed, N failed". */
function counted(command, args) {
  const { stdout, stderr } = run(command, args, sampler);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  const match = /(\d+) passed, (\d+) failed/.exec(stdout);
  if (match === null) throw new Error(`${args[0]} ended without a count`);
  return { passed: Number(match[1]), failed: Number(match[2]) };
}

function must(command, args, cwd = sampler) {
  const result = run(command, args, cwd);
  if (result.status !== 0) throw new Error(`${args.join(" ")}: ${result.stderr}${result.stdout}`);
  return result.stdout;
}

function run(command, args, cwd) {
  const options = { cwd, encoding: "utf8", maxBuffer: 1 << 26 };
  const result = spawnSync(command, args, options);
  return {
    status: result.status,
    stdout: result.stdout ?? "",
    stderr: result.stderr ?? String(result.error),
  };
}

function last({ status, stderr, stdout }) {
  return `${stdout}\n${stderr}`.trim().split("\n").at(-1) || `it ended with status ${status}`;
}

function digest() {
  return createHash("sha256").update(requirements.join()).digest("hex").slice(0, 8);
}
