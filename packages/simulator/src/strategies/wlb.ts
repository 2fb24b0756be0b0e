import { requireNumber } from "@libra/base";
import { wlbPlacement } from "@libra/sampler";
import type { TilePlan } from "@libra/scheduler";
import { kernelTimes } from "../layer/kernel-times.js";
import type { Scenario } from "../scenario.js";
import { perDocumentPlanner, perSequencePlanner } from "./per-document.js";
import { plannedStrategy } from "./planned-strategy.js";
import { flagSetting, integerSetting, requireSettings } from "./settings.js";
import type { StrategyMaker } from "./window-strategies.js";

// Steps until the queues of long documents have filled and give as many as they take.
const warmUp = 8;

/**
 * WLB-LLM: documents repacked by work under a token cap (`cap` 1: fixed window, above: variable),
 * long ones delayed or not, and per-document or per-sequence sharding by predicted kernel time.
 */
export const wlbStrategy: StrategyMaker = (scenario, corpus, settings) => {
  requireSettings("wlb", settings, ["cap", "delay", "chunks"]);
  const cap = requireNumber(settings.cap ?? 1.25, "cap", 1, 8);
  const delay = flagSetting(settings, "delay", true);
  const chunks = integerSetting(settings, "chunks", 4);
  const fine = perDocumentPlanner(chunks);
  const coarse = perSequencePlanner(chunks);
  return plannedStrategy(scenario, corpus, {
    name: "wlb",
    settings: { cap, delay, chunks },
    poolSize: 1,
    hops: 1,
    warmUp: delay ? warmUp : 1,
    placement: wlbPlacement({ cap, ...(delay ? {} : { thresholds: [] }) }),
    // Sharding is chosen by the predicted time of the slowest worker's kernels.
    plan(input) {
      const plans = [fine(input), coarse(input)] as const;
      return slowest(scenario, plans[1]) < slowest(scenario, plans[0]) ? plans[1] : plans[0];
    },
  });
};

function slowest({ timer }: Scenario, plan: TilePlan): number {
  const [times] = kernelTimes(plan, timer, ["forward"]);
  let most = 0;
  for (let w = 0; w < plan.workers; w++) {
    let seconds = 0;
    for (let at = w; at < times!.length; at += plan.workers) seconds += times![at]!;
    most = Math.max(most, seconds);
  }
  return most;
}
