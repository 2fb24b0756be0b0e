import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { NativeWorld } from "./native/binding.js";
import { native } from "./native/native.js";
import type { LocalRank } from "./rank.js";

/** A rank that awaits something else than its streams holds the others up for so many ms. */
const patience = 100;

/**
 * Runs the operations of a fuzzed launch between turns of JavaScript, when every rank awaits a
 * stream: then what the ranks have enqueued, and so the order that the seed picks, does not depend
 * on time. A rank that awaits a timer or a file is waited for a little; after that the others go on
 * without it, and the order may differ from run to run.
 *
 * @param ended - whether the launch is over
 */
export async function runFuzzed(
  world: NativeWorld,
  ranks: readonly LocalRank[],
  ended: () => boolean,
): Promise<void> {
  let waited = 0;
  while (!ended()) {
    await nextTurn();
    const awaiting = ranks.every((rank) => rank.returned || rank.awaiting.count > 0);
    if (!awaiting && waited < patience) {
      waited += 1;
      if (waited > patience / 2) await sleep(2);
      continue;
    }
    waited = 0;
    if (native().worldDrain(world) > 0 || !awaiting) continue;
    if (ranks.some((rank) => rank.awaiting.count > 0)) native().worldDeadlock(world);
  }
}
