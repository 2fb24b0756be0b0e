import { UsageError } from "../usage-error.js";
import { whole } from "./table.js";

/** Packed sequences that are planned without asking: about two minutes on one core. */
const most = 1e8;
/** Of one step: ten times what the largest clusters would train. */
const mostPerStep = 1e6;

/**
 * Refuses a step that nobody trains, and to pack and plan a whole epoch that would take very long, unless
 * the steps are counted.
 *
 * @param tokens - of the corpus
 * @throws UsageError that says what to pass
 */
export function requirePatience(
  tokens: number,
  options: { window?: number; dp: number; microSteps: number; steps?: number },
): void {
  const { window = 1, dp, microSteps, steps } = options;
  const perStep = dp * microSteps;
  if (perStep > mostPerStep) {
    throw new UsageError(
      `Expected at most ${whole(mostPerStep)} packed sequences in a step (--dp × --micro-steps) but received ${whole(perStep)}`,
    );
  }
  const sequences = Math.floor(tokens / window);
  if (steps !== undefined || sequences <= most) return;
  const few = Math.max(1, Math.floor(most / 100 / perStep));
  const all = Math.ceil(sequences / perStep);
  throw new UsageError(
    `The epoch has about ${whole(sequences)} packed sequences, which take long to plan; pass --steps ${few} for the first steps, or --steps ${all} for all`,
  );
}
