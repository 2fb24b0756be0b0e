import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/main.ts",
    "src/data/tokenize-worker.mjs",
    "src/train/plan-worker.mjs",
  ],
  format: ["esm"],
  dts: { entry: "src/index.ts" },
  sourcemap: true,
  clean: true,
  target: "node20",
});
