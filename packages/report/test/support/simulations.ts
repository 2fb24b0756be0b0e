import {
  clusterByName,
  compare,
  presetModel,
  type SimulationData,
  simulationData,
  standInLengths,
} from "@libra/simulator";

/** What `libra simulate --json` prints, of a small scenario. */
export interface PrintedSimulation {
  readonly rows: readonly SimulationData[];
  readonly refused: readonly unknown[];
  readonly recommendation: { choice: SimulationData; reasons: readonly string[] };
}

let printed: PrintedSimulation | undefined;

/** Simulates once; JSON has gone over the values, as over a pipe. */
export function printedSimulation(): PrintedSimulation {
  printed ??= simulateSmall();
  return structuredClone(printed);
}

function simulateSmall(): PrintedSimulation {
  const { rows, refused, recommendation } = compare({
    model: presetModel("qwen3-8b"),
    cluster: clusterByName("h100-ib"),
    gpus: 32,
    worlds: [16, 32],
    cp: 4,
    window: 65536,
    globalBatch: 16,
    lengths: standInLengths({ documents: 4000, seed: 1 }),
    steps: 2,
    strategies: ["ulysses", "wlb", "libra"],
    candidates: { chunks: [4], pools: [1, 2, 4] },
  });
  const data = {
    rows: rows.map(simulationData),
    refused,
    recommendation: {
      choice: simulationData(recommendation.choice),
      reasons: recommendation.reasons,
    },
  };
  return JSON.parse(JSON.stringify(data)) as PrintedSimulation;
}
