import { describe, expect, it } from "vitest";
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
    const { code, error } = await run(["launch"], async () => ({}));
    expect(code).toBe(1);
    expect(error).toContain("needs a newer @libra/runtime (one that exports runLaunch)");
  });

  it("does not hide why an installed package fails", async () => {
    const broken = async () => {
      throw new Error("no addon for this machine");
    };
    await expect(run(["train"], broken)).rejects.toThrow("no addon for this machine");
    expect((await run(["doctor"], broken)).out).toContain("fails to load: no addon");
  });

  it("doctor says what is there and what is missing", async () => {
    const { code, out } = await run(["doctor"], absent);
    expect(code).toBe(0);
    expect(out).toMatch(/machine +\w+-\w+, \d+ cores/);
    expect(out).toContain("trainer    not installed; libra train needs it: npm install");
  });
});
