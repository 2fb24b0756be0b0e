import { corpusNames } from "../../bench/placement/corpora.mjs";

const windows = { "128K": 2 ** 17, "256K": 2 ** 18, "1M": 2 ** 20 };

const shapes = [
  { window: "128K", pools: 4, poolSize: 8, microSteps: 1, sync: "step" },
  { window: "256K", pools: 8, poolSize: 4, microSteps: 1, sync: "step" },
  { window: "128K", pools: 16, poolSize: 4, microSteps: 1, sync: "step" },
  { window: "1M", pools: 8, poolSize: 8, microSteps: 1, sync: "step" },
  { window: "256K", pools: 8, poolSize: 1, microSteps: 4, sync: "step" },
  { window: "128K", pools: 4, poolSize: 2, microSteps: 2, sync: "microStep" },
  { window: "256K", pools: 3, poolSize: 4, microSteps: 2, sync: "microStep" },
  { window: "1M", pools: 4, poolSize: 2, microSteps: 3, sync: "microStep" },
];

/** Every shape on every data set, N up to 64. */
export const problems = corpusNames.flatMap((data, i) =>
  shapes.map(({ window, ...shape }, j) => ({
    data,
    window: windows[window],
    seed: 100 + 10 * i + j,
    ...shape,
  })),
);
