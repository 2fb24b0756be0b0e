import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();

it("the README's example runs and does what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = /## Example\n\n```sh\nlibra (.*)\n```/.exec(readme)![1]!;
  writeFileSync(file("lengths.txt"), [40, 9, 64, 3, 30, 12, 50, 7, 21, 64].join("\n"));
  const argv = example.split(" ").map((word) => (word.includes(".") ? file(word) : word));
  const { code, out } = await run(argv);
  expect(code).toBe(0);
  expect(out).toContain("before (arrival order)");
  expect(out).toContain("bound (no placement is below)");
  expect(existsSync(file("plan.bin"))).toBe(true);
});
