import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "./support/folder.js";

// Runs the README's example on the README's configuration and compares what each line prints.
it("the README's example prints what it says", { timeout: 60_000 }, async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const folder = temporaryFolder();
  const yaml = /```yaml\n([\s\S]*?)```/.exec(readme)![1]!;
  const readmePath = fileURLToPath(new URL("../README.md", import.meta.url));
  const settings = `output: ${folder}/runs\n${yaml.replace("README.md", readmePath)}`;
  writeFileSync(join(folder, "train.yaml"), settings);
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  const file = fileURLToPath(new URL(`./readme-example-${process.pid}.ts`, import.meta.url));
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    printed.push(values.map(String).join(" "));
  });
  writeFileSync(file, example.replace('"train.yaml"', JSON.stringify(join(folder, "train.yaml"))));
  try {
    await import(/* @vite-ignore */ file);
  } finally {
    rmSync(file, { force: true });
    log.mockRestore();
  }
  const promised = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised.length).toBeGreaterThan(0);
  expect(printed).toEqual(promised);
});
