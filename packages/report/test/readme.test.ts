import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";

// Runs the README's example in an empty folder and compares what it prints with its comments.
it("the README's example prints what it says and writes its files", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  const folder = mkdtempSync(join(tmpdir(), "libra-readme-"));
  const file = fileURLToPath(new URL(`./readme-example-${process.pid}.ts`, import.meta.url));
  const inFolder = example.replaceAll(/"(report\.\w+)"/g, (_, name: string) =>
    JSON.stringify(join(folder, name)),
  );
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((text: unknown) => {
    printed.push(String(text));
  });
  writeFileSync(file, inFolder);
  try {
    await import(/* @vite-ignore */ file);
    expect(readFileSync(join(folder, "report.html"), "utf8").startsWith("<!doctype html>")).toBe(
      true,
    );
    expect(readFileSync(join(folder, "report.png")).length).toBeGreaterThan(10_000);
  } finally {
    rmSync(file, { force: true });
    rmSync(folder, { recursive: true, force: true });
    log.mockRestore();
  }
  const promised = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  expect(printed).toEqual(promised);
});
