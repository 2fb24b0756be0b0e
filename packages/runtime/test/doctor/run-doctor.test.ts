import { describe, expect, it } from "vitest";
import type { Examination } from "../../src/doctor/examine.js";
import { type DoctorOptions, instructionSets, runDoctor } from "../../src/index.js";
import { compiledRuntime } from "../support/compiled.js";
import { runProgram } from "../support/run-program.js";
import { fakeMachine } from "./fake-machine.js";

const bare = { PATH: "/nowhere" };

async function run(argv: readonly string[], options: DoctorOptions = {}) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runDoctor(argv, {
    ...{ environment: bare, loaderCache: "", ...options },
    print: (line) => out.push(line),
    printError: (text) => error.push(text),
  });
  return { code, out: out.join("\n"), error: error.join("\n") };
}

async function examine(options: DoctorOptions = {}): Promise<Examination & { code: number }> {
  const { code, out } = await run(["--json", "--quick"], options);
  return { ...(JSON.parse(out) as Examination), code };
}

const texts = ({ problems }: Examination, severity: string) =>
  problems.filter((problem) => problem.severity === severity).map(({ text }) => text);

describe("this machine", () => {
  it("is described and measured in less than ten seconds", async () => {
    const begin = performance.now();
    const { code, out, error } = await run([], { environment: process.env });
    expect({ code, error }).toEqual({ code: 0, error: "" });
    for (const title of ["machine", "measured now", "native part", "Libra will use"]) {
      expect(out.split("\n")).toContain(title);
    }
    expect(out).toMatch(/float32 +\d+ GFLOP\/s with 1 thread/);
    expect(out).toMatch(/copy +\d+ GB\/s read and written with 1 thread/);
    expect(out).toMatch(/transport +local: all ranks in one process/);
    expect(out.endsWith("\nLibra can run here.")).toBe(true);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it("keeps a name that is wider than its column apart from its value", async () => {
    const packages = { "@libra/runtime-linux-riscv64": "the package is not installed" };
    const { out } = await run(["--quick"], { packages });
    expect(out).toContain("\n  @libra/runtime-linux-riscv64 the package is not installed\n");
  });

  it("is one JSON object for programs, without rates by --quick", async () => {
    const { code, ok, kernels, native, rates, uses } = await examine();
    expect({ code, ok, rates }).toEqual({ code: 0, ok: true, rates: undefined });
    expect(kernels!.available).toContain(kernels!.chosen);
    expect(native.at(-1)).not.toHaveProperty("problem");
    expect(uses.threads[0]!.ranks).toBe(1);
  });

  it("has the rates as numbers", async () => {
    const { rates } = JSON.parse((await run(["--json"])).out) as Examination;
    expect(rates!.float32.one).toBeGreaterThan(0.1);
    expect(rates!.copy!.one).toBeGreaterThan(0.01);
  });
});

describe("what is wrong", () => {
  it("cannot run where no addon loads, and says how to build one", async () => {
    const { code, out } = await run(["--quick"], {
      environment: { ...bare, LIBRA_NATIVE: "/none/libra.node" },
    });
    expect(code).toBe(1);
    expect(out).toContain("error: The native part does not load (/none/libra.node: no such file)");
    expect(out).toContain(
      '→ unset LIBRA_NATIVE, which is tried alone, or build it with "node scripts/pnpm.mjs run build"',
    );
    expect(out.endsWith("\nLibra cannot run here.")).toBe(true);
  });

  it("names the instruction sets when LIBRA_ISA asks for another", async () => {
    const found = await examine({ environment: { ...bare, LIBRA_ISA: "avx9" } });
    expect(found.code).toBe(1);
    expect(texts(found, "error")[0]).toContain("LIBRA_ISA=avx9, but this machine runs ");
  });

  it("is honest about CUDA and MPI", async () => {
    const root = fakeMachine({ "/l/libcuda.so.1": "", "/l/libmpi.so.40": "" });
    const environment = { ...bare, LD_LIBRARY_PATH: "/l" };
    const found = await examine({ root, environment });
    expect(found.code).toBe(0);
    expect(texts(found, "note")).toEqual([
      "CUDA found, but this version has no CUDA device yet: everything runs on the CPU",
      "MPI found, but this version has no MPI transport yet",
    ]);
    expect(texts(await examine({ root: fakeMachine({}) }), "note")).toEqual([]);
  });

  it("names an explicit file that is not there", async () => {
    const environment = { ...bare, LIBRA_CUDNN: "/none.so" };
    const found = await examine({ root: fakeMachine({}), environment });
    expect(texts(found, "warning")).toEqual(["cuDNN: there is no /none.so"]);
  });

  it("refuses to be one of a launcher's processes, and half of its variables", async () => {
    const environment = { ...bare, RANK: "1", WORLD_SIZE: "4", LOCAL_RANK: "1" };
    const found = await examine({ environment });
    expect(found.launcher.variables).toEqual(["RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=1"]);
    expect(found.code).toBe(1);
    expect(texts(found, "error")[0]).toContain("This process is rank 1 of 4 (torchrun)");
    const half = await examine({ environment: { ...bare, RANK: "1" } });
    expect(texts(half, "error")[0]).toContain("WORLD_SIZE missing beside RANK=1");
  });

  it("warns when a control group allows fewer CPUs than there are cores", async () => {
    const root = fakeMachine({
      "/proc/self/cgroup": "0::/\n",
      "/sys/fs/cgroup/cpu.max": "50000 100000\n",
    });
    const found = await examine({ root });
    expect(texts(found, "warning")[0]).toMatch(/^A control group allows 0\.5 CPUs, but Libra/);
  });

  it("refuses words that it does not know with code 2", async () => {
    const { code, error } = await run(["--quik"]);
    expect(code).toBe(2);
    expect(error).toContain("did you mean --quick?");
    expect((await run(["--help"])).out).toContain("Usage: libra doctor");
  });
});

it.each(instructionSets())("shows that LIBRA_ISA=%s is what the kernels follow", async (set) => {
  const program = `
    import { launchLocal, runDoctor } from "${compiledRuntime("doctor")}";
    const [used] = await launchLocal(1, async (rank) => rank.device.instructionSet);
    console.log(used);
    process.exitCode = await runDoctor(["--quick"]);
  `;
  const environment = { LIBRA_ISA: set, LIBRA_BF16: "convert" };
  const { code, stdout } = await runProgram(program, environment);
  expect(code).toBe(0);
  expect(stdout.split("\n")[0]).toBe(set);
  expect(stdout).toContain(`cpu, ${set} kernels, by LIBRA_ISA=${set}`);
  expect(stdout).toContain("products converted to float32, by LIBRA_BF16=convert");
});
