import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";

// Runs the README's examples, one after another, and compares what each line prints with the comment behind it.
it("the README's examples print what they say", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)];
  const example = blocks.map((block) => block[1]).join("\n");
  const file = fileURLToPath(new URL("./readme-example.gen.ts", import.meta.url));
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    printed.push(values.map(String).join(" "));
  });
  writeFileSync(file, example);
  try {
    await import(/* @vite-ignore */ file);
  } finally {
    rmSync(file);
    log.mockRestore();
  }
  const promised = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(promised.length).toBeGreaterThan(0);
  expect(printed).toEqual(promised);
});
