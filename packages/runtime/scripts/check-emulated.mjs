// Do the kernels run on processors that this machine is not? Runs the conformance program's small
// cases under qemu-user, on every instruction set that it chooses there.
// Usage: node packages/runtime/scripts/check-emulated.mjs arm64|x86 [--install]
// arm64: cross-built with Debian's compiler; x86: the release build on processors without AVX and
// without AVX-512. --install: fetch what is missing by apt-get, as root.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./native-tools.mjs";

const targets = {
  arm64: {
    programs: { "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user" },
    preset: "arm64",
    machines: [{ emulator: ["qemu-aarch64"], sets: ["arm64"] }],
  },
  x86: {
    programs: { "qemu-x86_64": "qemu-user" },
    preset: "release",
    machines: [
      { emulator: ["qemu-x86_64", "-cpu", "Nehalem"], sets: ["base"] },
      { emulator: ["qemu-x86_64", "-cpu", "Haswell"], sets: ["avx2", "base"] },
    ],
  },
};

const name = process.argv[2];
const target = targets[name];
if (target === undefined) {
  console.error(`Expected one of ${Object.keys(targets).join(", ")} but received ${name}`);
  process.exit(2);
}
if (name === "x86" && process.arch !== "x64") {
  console.log(`skipped: this machine is no x86-64 but ${process.arch}`);
  process.exit(0);
}

const missing = () =>
  Object.keys(target.programs).filter((program) => spawnSync(program, ["--version"]).error);
if (missing().length > 0 && process.argv.includes("--install") && process.getuid?.() === 0) {
  const packages = [...new Set(missing().map((program) => target.programs[program]))];
  const command = ["install", "-y", "--no-install-recommends", ...packages];
  spawnSync("apt-get", command, { stdio: "inherit" });
}
if (missing().length > 0) {
  const packages = [...new Set(Object.values(target.programs))].join(" ");
  const lacking = missing().join(" and ");
  console.log(
    `skipped: there is no ${lacking} (apt-get install ${packages}, or --install as root)`,
  );
  process.exit(0);
}

const builder = join(root, "scripts", "build-native.mjs");
const words = ["--preset", target.preset, "--target", "conformance", "--no-warn-unused-cli"];
const built = spawnSync(process.execPath, [builder, ...words], { encoding: "utf8" });
if (built.status !== 0) {
  console.error(`${built.stdout}${built.stderr}`);
  process.exit(1);
}
const program = join(root, "build", target.preset, "conformance");
const { LIBRA_ISA: _set, LIBRA_BF16: _products, ...env } = process.env;

/** Problems of one emulated machine. */
async function check({ emulator: [emulator, ...options], sets }) {
  const run = async (...words) => {
    const start = Date.now();
    const { stdout } = await promisify(execFile)(emulator, [...options, program, ...words], {
      env,
    });
    return { stdout, seconds: ((Date.now() - start) / 1000).toFixed(1) };
  };
  const machine = [emulator, ...options].join(" ");
  try {
    const heading = (await run("support", "--small", "--operator", "none")).stdout.split("\n")[0];
    const columns = heading.split("|").map((word) => word.trim());
    const chosen = columns.filter((word) => /^\w+$/.test(word) && word !== "operator");
    if (chosen.join() !== sets.join()) return [`${machine}: chose ${chosen}, expected ${sets}`];
    const { stdout, seconds } = await run("test", "--small", "--isa", sets[0]);
    console.log(`${machine}: ${sets[0]}: ${stdout.trim()} (${seconds} s)`);
    return [];
  } catch ({ stdout, stderr, signal, message }) {
    const said = [stdout, stderr].filter(Boolean).join("\n") || message;
    return [`${machine}: ${signal ?? "failed"}\n${said}`];
  }
}

const problems = (await Promise.all(target.machines.map(check))).flat();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
