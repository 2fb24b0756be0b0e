import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildReport, readSimulation, readSource, renderPage } from "@libra/report";
import {
  clusterByName,
  compare,
  gainByWindow,
  presetModel,
  simulationData,
  standInLengths,
} from "@libra/simulator";

const demo = fileURLToPath(new URL("../../test/fixtures/demo", import.meta.url));

/** Writes a page about a simulation and a run, both real. */
export function writeSamplePage(path) {
  const options = {
    model: presetModel("qwen3-8b"),
    cluster: clusterByName("h100-ib"),
    gpus: 64,
    worlds: [16, 32, 64],
    cp: 4,
    window: 131072,
    globalBatch: 32,
    lengths: standInLengths({ documents: 20_000, seed: 1 }),
    steps: 2,
    strategies: ["ulysses", "wlb", "distca", "libra"],
    candidates: { chunks: [4], pools: [1, 2, 4, 8] },
  };
  const { rows, refused, recommendation } = compare(options);
  const { worlds: _, ...one } = options;
  const printed = {
    options: { model: "qwen3-8b", cluster: "h100-ib" },
    rows: rows.map(simulationData),
    refused,
    gains: gainByWindow({ ...one, steps: 1 }).map(({ window, overPlain, overWlb }) => ({
      window,
      overPlain,
      overWlb,
    })),
    recommendation: {
      choice: rows.indexOf(recommendation.choice),
      reasons: recommendation.reasons,
    },
  };
  const simulation = {
    kind: "simulation",
    simulation: readSimulation(JSON.parse(JSON.stringify(printed)), "64 GPUs"),
  };
  const report = buildReport([simulation, readSource(demo)], "Libra report");
  writeFileSync(path, renderPage(report));
}
