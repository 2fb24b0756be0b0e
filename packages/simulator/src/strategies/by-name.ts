import { unknownName } from "../machine/cluster.js";
import type { Scenario } from "../scenario.js";
import { hybridCp } from "./hybrid-cp.js";
import type { CorpusOptions } from "./planned-strategy.js";
import type { SettingsInput } from "./settings.js";
import { type Strategy, type StrategyName, strategyNames } from "./strategy.js";
import {
  distcaStrategy,
  divisorsOf,
  libraStrategy,
  perDocumentStrategy,
  type StrategyMaker,
  ulyssesStrategy,
} from "./window-strategies.js";
import { wlbStrategy } from "./wlb.js";

const makers: Readonly<Record<StrategyName, StrategyMaker>> = Object.freeze({
  ulysses: ulyssesStrategy,
  perDocument: perDocumentStrategy,
  wlb: wlbStrategy,
  hybridCp,
  distca: distcaStrategy,
  libra: libraStrategy,
});

/**
 * Checks the name of a strategy.
 *
 * @throws LibraError `ARGUMENT` that lists the strategies, nearest first
 */
export function requireStrategy(name: string): StrategyName {
  if ((strategyNames as readonly string[]).includes(name)) return name as StrategyName;
  throw unknownName("strategy", name, strategyNames);
}

/**
 * A strategy for a scenario and a corpus.
 *
 * @param settings - what differs from the strategy's defaults
 * @throws LibraError `ARGUMENT` for a setting that the strategy does not have, `LAYOUT` for a pool
 *   that does not divide dp
 */
export function createStrategy(
  name: StrategyName,
  scenario: Scenario,
  corpus: CorpusOptions,
  settings: SettingsInput = {},
): Strategy {
  return makers[name](scenario, corpus, settings);
}

/** What the caller wants tried; defaults in brackets. */
export interface Candidates {
  /** Pools of Libra (all divisors of dp up to 32). */
  readonly pools?: readonly number[];
  /** Tolerances of Libra and DistCA (0.01). */
  readonly tolerances?: readonly number[];
  /** Chunks of the exchange (4 and 8). */
  readonly chunks?: readonly number[];
}

/** Settings worth trying, so that every strategy is shown at its best. */
export function candidateSettings(
  name: StrategyName,
  scenario: Scenario,
  { pools, tolerances = [0.01], chunks = [4, 8] }: Candidates = {},
): SettingsInput[] {
  const { window, positions, layout } = scenario;
  const inChunks = (settings: SettingsInput) =>
    chunks.map((count) => ({ ...settings, chunks: count }));
  switch (name) {
    case "ulysses":
    case "perDocument":
      return inChunks({});
    case "wlb":
      return [1, 1.25].flatMap((cap) => [true, false].map((delay) => ({ cap, delay })));
    case "hybridCp": {
      const least = Math.ceil(window / positions);
      const sizes = [0.25, 0.5, 1, 2].map((times) => Math.ceil((times * window) / layout.cp));
      return [...new Set(sizes.map((size) => Math.max(least, size)))].map((tokensPerRank) => ({
        tokensPerRank,
      }));
    }
    case "distca":
      return tolerances.map((tolerance) => ({ tolerance }));
    case "libra": {
      const sizes = pools ?? divisorsOf(layout.dp).filter((size) => size <= 32);
      // Nothing moves between workers of a pool of one: its tolerance is of no account.
      const all = sizes.flatMap((pool) =>
        (pool === 1 ? tolerances.slice(0, 1) : tolerances).map((tolerance) => ({
          pool,
          tolerance,
        })),
      );
      return all.flatMap(inChunks);
    }
  }
}
