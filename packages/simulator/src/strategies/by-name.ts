import { unknownPreset } from "../machine/cluster.js";
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

const makers: Readonly<Record<StrategyName, StrategyMaker>> = Object.freeze({
  ulysses: ulyssesStrategy,
  perDocument: perDocumentStrategy,
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
  throw unknownPreset("strategy", name, strategyNames);
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

/** Settings worth trying; the caller may narrow pools and tolerances. */
export function candidateSettings(
  name: StrategyName,
  scenario: Scenario,
  narrowed: { pools?: readonly number[]; tolerances?: readonly number[] } = {},
): SettingsInput[] {
  const { dp, cp } = scenario.layout;
  const { window, positions } = scenario;
  const tolerances = narrowed.tolerances ?? [0.01, 0.05];
  switch (name) {
    case "ulysses":
    case "perDocument":
      return [{}];
    case "hybridCp":
      return [0.25, 0.5, 1, 2].map((times) => ({
        tokensPerRank: Math.max(Math.ceil(window / positions), Math.ceil((times * window) / cp)),
      }));
    case "distca":
      return tolerances.map((tolerance) => ({ tolerance }));
    case "libra": {
      const pools = narrowed.pools ?? divisorsOf(dp).filter((size) => size <= 32);
      // Nothing moves between workers of a pool of one: its tolerance is of no account.
      return pools.flatMap((pool) =>
        (pool === 1 ? tolerances.slice(0, 1) : tolerances).map((tolerance) => ({
          pool,
          tolerance,
        })),
      );
    }
  }
}
