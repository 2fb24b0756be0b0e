import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```sh\nlibra (.*)\n```/g)].map((match) => match[1]!);

beforeAll(() =>
  writeFileSync(file("lengths.txt"), [40, 9, 64, 3, 30, 12, 50, 7, 21, 64].join("\n")),
);

function runExample(index: number) {
  const inFolder = (word: string) => (/\.|^plans$/.test(word) ? file(word) : word);
  return run(examples[index]!.split(" ").map(inFolder));
}

it("the README's example runs and does what it says", async () => {
  const { code, out } = await runExample(0);
  expect(code).toBe(0);
  expect(out).toContain("before (arrival order)");
  expect(out).toContain("bound (no placement is below)");
  expect(existsSync(file("plan.bin"))).toBe(true);
});

it("the README's example of tiles runs and does what it says", async () => {
  const { code, out, error } = await runExample(1);
  expect(error).toBe("");
  expect(code).toBe(0);
  expect(out).toContain("workerSkew");
  expect(out).toContain("rows × heads");
  expect(readdirSync(file("plans"))).toContain("step0-micro0-pool0.tiles");
});
