import { ExchangeBuilder } from "./exchange-builder.js";
import type { ExchangeProgram } from "./exchange-program.js";
import type { TilePlan } from "./tile-plan.js";

const builder = new ExchangeBuilder();

/**
 * What one worker sends, receives, stages and sums to carry out a plan, forward and backward: the
 * plan's tiles met with the owned rows. A pure function of (plan, worker), so that every rank makes
 * its own program and all of them match.
 *
 * @throws LibraError `ARGUMENT` for a worker outside the plan
 */
export function exchangeProgram(plan: TilePlan, worker: number): ExchangeProgram {
  return builder.build(plan, worker);
}
