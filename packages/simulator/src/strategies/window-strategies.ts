import { LibraError } from "@libra/base";
import { disaggregated, libra, type PoolInput, ulysses } from "@libra/scheduler";
import type { Scenario } from "../scenario.js";
import { perDocumentPlanner } from "./per-document.js";
import { type CorpusOptions, plannedStrategy } from "./planned-strategy.js";
import {
  flagSetting,
  hopsSetting,
  integerSetting,
  requireSettings,
  type SettingsInput,
  shareSetting,
} from "./settings.js";
import type { Strategy } from "./strategy.js";

/** Makes one strategy for one scenario and corpus. */
export type StrategyMaker = (
  scenario: Scenario,
  corpus: CorpusOptions,
  settings: SettingsInput,
) => Strategy;

/** Heads split inside the CP group, packed sequences in arrival order: what most people run. */
export const ulyssesStrategy: StrategyMaker = (scenario, corpus, settings) => {
  requireSettings("ulysses", settings, ["chunks"]);
  const chunks = integerSetting(settings, "chunks", 4);
  const planner = ulysses({ chunks });
  return plannedStrategy(scenario, corpus, {
    name: "ulysses",
    settings: { chunks },
    poolSize: 1,
    hops: hopsOf(scenario, 1, settings),
    placement: "arrival",
    plan: (input: PoolInput) => planner.plan(input),
  });
};

/** Every document cut into zigzag parts over the CP group, keys and values gathered. */
export const perDocumentStrategy: StrategyMaker = (scenario, corpus, settings) => {
  requireSettings("perDocument", settings, ["chunks"]);
  const chunks = integerSetting(settings, "chunks", 4);
  return plannedStrategy(scenario, corpus, {
    name: "perDocument",
    settings: { chunks },
    poolSize: 1,
    hops: hopsOf(scenario, 1, settings),
    placement: "arrival",
    plan: perDocumentPlanner(chunks),
  });
};

/** DistCA: attention of all replicas is one pool, filled by deficit. */
export const distcaStrategy: StrategyMaker = (scenario, corpus, settings) => {
  requireSettings("distca", settings, ["tolerance", "hops", "pingPong", "chunks"]);
  const tolerance = shareSetting(settings, "tolerance", 0.01);
  const { dp } = scenario.layout;
  const hops = hopsOf(scenario, dp, settings);
  const pingPong = flagSetting(settings, "pingPong", true);
  const chunks = integerSetting(settings, "chunks", 4);
  const planner = disaggregated({ scope: "world", tolerance, chunks });
  return plannedStrategy(scenario, corpus, {
    name: "distca",
    settings: { tolerance, hops, pingPong, chunks },
    poolSize: dp,
    hops,
    pingPong,
    placement: "arrival",
    plan: (input: PoolInput) => planner.plan(input),
  });
};

/** Libra: sequences placed so that pools are alike, tiles cut to fit inside a pool. */
export const libraStrategy: StrategyMaker = (scenario, corpus, settings) => {
  requireSettings("libra", settings, ["pool", "tolerance", "hops", "chunks"]);
  const { dp } = scenario.layout;
  const pool = integerSetting(settings, "pool", defaultPool(dp));
  if (dp % pool !== 0) {
    const valid = divisorsOf(dp);
    throw new LibraError(
      "LAYOUT",
      `pool ${pool} does not divide dp ${dp}; valid: ${valid.join(", ")}`,
      {
        details: { pool, dp, valid },
      },
    );
  }
  const tolerance = shareSetting(settings, "tolerance", 0.01);
  const hops = hopsOf(scenario, pool, settings);
  const chunks = integerSetting(settings, "chunks", 4);
  const planner = libra({ tolerance, chunks });
  return plannedStrategy(scenario, corpus, {
    name: "libra",
    settings: { pool, tolerance, hops, chunks },
    poolSize: pool,
    hops,
    placement: "libra",
    plan: (input: PoolInput) => planner.plan(input),
  });
};

/** All divisors of dp: the pool sizes that are possible. */
export function divisorsOf(value: number): number[] {
  return Array.from({ length: value }, (_, i) => i + 1).filter((i) => value % i === 0);
}

// The largest divisor of dp up to 8.
function defaultPool(dp: number): number {
  return divisorsOf(dp)
    .filter((size) => size <= 8)
    .at(-1)!;
}

// Two hops where a pool has several nodes with several of its ranks each, one otherwise.
function hopsOf(scenario: Scenario, replicas: number, settings: SettingsInput): 1 | 2 {
  const { layout, cluster } = scenario;
  const perNode = cluster.ranksPerNode / layout.tp;
  const ranks = replicas * layout.cp;
  return hopsSetting(settings, perNode > 1 && ranks > perNode ? 2 : 1);
}
