import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("header, addon and declarations agree", () => {
  const script = fileURLToPath(new URL("../scripts/check-bindings.mjs", import.meta.url));
  const output = execFileSync(process.execPath, [script], { encoding: "utf8" });
  expect(output).toMatch(/^\d+ functions agree/);
});
