import { describe, expect, it } from "vitest";
import { run } from "./run.js";

describe("libra calibrate", () => {
  it("hands its words to the runtime and takes the exit code", async () => {
    const words: unknown[] = [];
    const runCalibrate = async (argv: unknown) => {
      words.push(argv);
      return 3;
    };
    const argv = ["calibrate", "--out", "profile.json", "--help"];
    expect((await run(argv, async () => ({ runCalibrate }))).code).toBe(3);
    expect(words).toEqual([argv.slice(1)]);
  });

  it("says what to install", async () => {
    const absent = async (): Promise<never> => {
      const error = new Error("Cannot find package '@libra/runtime' imported from here");
      throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
    };
    const { code, error } = await run(["calibrate"], absent);
    expect(code).toBe(1);
    expect(error).toContain("npm install @libra/runtime");
  });
});
