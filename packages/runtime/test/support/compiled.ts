import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const packages = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The package as plain JavaScript that a child process or a worker thread can import, without a
 * build: each source file on its own, in build/test-modules/<name>.
 *
 * @returns the address of the runtime's index
 */
export function compiledRuntime(name: string): string {
  const target = join(packages, "runtime", "build", "test-modules", name);
  rmSync(target, { recursive: true, force: true });
  for (const part of ["base", "runtime"]) {
    const source = join(packages, part, "src");
    for (const path of readdirSync(source, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts")) continue;
      const { outputText } = ts.transpileModule(readFileSync(join(source, path), "utf8"), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      const up = "../".repeat(path.split(/[\\/]/).length);
      const out = join(target, part, path.replace(/\.ts$/, ".mjs"));
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(
        out,
        outputText
          .replaceAll('"@libra/base"', `"${up}base/index.mjs"`)
          .replace(/(from "\.[^"]*)\.js"/g, '$1.mjs"'),
      );
    }
  }
  return pathToFileURL(join(target, "runtime", "index.mjs")).href;
}
