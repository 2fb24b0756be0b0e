import { describe, expect, it, vi } from "vitest";
import { run } from "./run.js";

const absent = async (name: string): Promise<never> => {
  const error = new Error(`Cannot find package '${name}' imported from here`);
  throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
};

describe("commands that other packages carry out", () => {
  it.each([
    ["train", "@libra/trainer"],
    ["launch", "@libra/runtime"],
  ])("%s says in one line what to install", async (command, name) => {
    const { code, out, error } = await run([command, "config.yaml"], absent);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toBe(
      `libra ${command} needs ${name}, which is not installed: npm install ${name}\n`,
    );
  });

  it("hands every word over and takes the exit code", async () => {
    const words: unknown[] = [];
    const runTrain = (argv: unknown) => {
      words.push(argv);
      return Promise.resolve(7);
    };
    const load = async () => ({ runTrain });
    const argv = ["train", "config.yaml", "--ranks", "4", "--help", "--set=a.b=1"];
    expect((await run(argv, load)).code).toBe(7);
    expect(words).toEqual([argv.slice(1)]);
  });

  it("asks for a newer package where the function is missing", async () => {
    const { code, error } = await run(["calibrate"], async () => ({}));
    expect(code).toBe(1);
    expect(error).toContain("needs a newer @libra/runtime (one that exports runCalibrate)");
  });

  it("says that launch is not there yet, and what starts ranks", async () => {
    const { code, error } = await run(["launch", "train", "c.yaml"], async () => ({}));
    expect(code).toBe(1);
    expect(error).toBe(
      "libra launch is not there yet: this version keeps all ranks in one process, which libra train CONFIG.yaml starts by itself\n",
    );
  });

  it("does not hide why an installed package fails", async () => {
    const broken = async () => {
      throw new Error("no addon for this machine");
    };
    await expect(run(["train"], broken)).rejects.toThrow("no addon for this machine");
  });
});

describe("libra doctor", () => {
  it("needs the runtime, and says so in one line", async () => {
    const { code, error } = await run(["doctor"], absent);
    expect(code).toBe(1);
    expect(error).toBe(
      "libra doctor needs @libra/runtime, which is not installed: npm install @libra/runtime\n",
    );
  });

  it("hands its words and the trainer's state to the runtime", async () => {
    const calls: unknown[] = [];
    const runDoctor = (...given: unknown[]) => {
      calls.push(given);
      return Promise.resolve(1);
    };
    const load = async (name: string) => (name === "@libra/runtime" ? { runDoctor } : absent(name));
    expect((await run(["doctor", "--json", "--help"], load)).code).toBe(1);
    const state = "not installed; libra train needs it: npm install @libra/trainer";
    const packages = { "@libra/trainer": state };
    expect(calls).toEqual([[["--json", "--help"], { packages }]]);
  });

  it("looks at this machine", async () => {
    const seen: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line) => void seen.push(String(line)));
    const { code } = await run(["doctor", "--quick"]);
    log.mockRestore();
    expect(code).toBe(0);
    expect(seen).toContain("machine");
    expect(seen.at(-1)).toBe("Libra can run here.");
  });
});
