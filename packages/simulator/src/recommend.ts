import type { Simulation } from "./simulate.js";
import type { StrategyName } from "./strategies/strategy.js";

/** What to run, and why. */
export interface Recommendation {
  readonly choice: Simulation;
  /** The fastest of all rows that fit, baselines included. */
  readonly fastest: Simulation;
  /** Sentences, the most important first. */
  readonly reasons: readonly string[];
}

/** What is this close to the fastest is as good: simulations are not exact to less. */
export const closeEnough = 0.02;

// What the trainer runs; less to set up and the step's documents kept come first. The other
// strategies are baselines: they are compared, not recommended.
const simplicity: readonly StrategyName[] = ["ulysses", "perDocument", "libra", "wlb"];

/**
 * Of rows of one number of devices, the simplest within 2 % of the fastest that fits the devices' memory: plain packing before
 * placement alone (P = 1) before pools, small pools before large ones, and strategies that keep the
 * step's documents before those that do not. Baselines that the trainer does not run are named where
 * they are faster.
 */
export function recommend(rows: readonly Simulation[]): Recommendation {
  const fitting = rows.filter((row) => row.memory.fits);
  const usable = fitting.length > 0 ? fitting : rows;
  const speed = (row: Simulation) => row.utilisation;
  const fastest = usable.reduce((best, row) => (speed(row) > speed(best) ? row : best));
  const runnable = usable.filter((row) => simplicity.includes(row.strategy));
  const candidates = runnable.length > 0 ? runnable : usable;
  const quickest = candidates.reduce((best, row) => (speed(row) > speed(best) ? row : best));
  const close = candidates.filter((row) => speed(row) >= (1 - closeEnough) * speed(quickest));
  const choice = close.reduce((best, row) => (rank(row) < rank(best) ? row : best));
  const same = usable.filter((row) => row.layout.cp === choice.layout.cp);
  const reasons = [whyStrategy(choice, same), ...whyPool(choice, same)];
  if (choice !== quickest) {
    reasons.push(`${title(quickest)} is ${change(quickest, choice)}: not worth more machinery.`);
  }
  if (fastest !== quickest) {
    const line = `${title(fastest)}, a baseline that the trainer does not run, is ${change(fastest, choice)}.`;
    reasons.push(line);
  }
  reasons.push(...whyLayout(choice, usable), ...whyMemory(choice, rows, fitting.length > 0));
  return { choice, fastest, reasons };
}

function rank(row: Simulation): number {
  // The larger context-parallel size only breaks ties.
  const pool = Number(row.settings.pool ?? 1);
  return simplicity.indexOf(row.strategy) * 1e6 + pool * 1e3 + row.layout.cp;
}

function whyStrategy(choice: Simulation, same: readonly Simulation[]): string {
  const plain = same.find((row) => row.strategy === "ulysses");
  const pooled = bestOf(same, (row) => row.strategy === "libra");
  if (choice.strategy === "ulysses" || choice.strategy === "perDocument") {
    const waiting = share((choice.breakdown.pools + choice.breakdown.workers) / choice.seconds);
    const gain = pooled ? ` Libra at its best would be ${change(pooled, choice)}.` : "";
    return `Plain packing is enough: ranks wait ${waiting} of a step.${gain}`;
  }
  const gain = plain
    ? change(choice, plain, "plain packing (Ulysses in arrival order)")
    : "the fastest of what was compared";
  if (choice.strategy === "libra") return `${title(choice)}: ${gain}.`;
  const beaten = pooled ? `; Libra at its best is ${change(pooled, choice)}` : "";
  const cost = choice.changesStep
    ? " It moves documents between steps, so losses are not comparable step by step."
    : "";
  return `${title(choice)}: ${gain}${beaten}.${cost}`;
}

function whyPool(choice: Simulation, same: readonly Simulation[]): string[] {
  if (choice.strategy !== "libra") return [];
  const pools = same
    .filter((row) => row.strategy === "libra")
    .sort((a, b) => Number(a.settings.pool) - Number(b.settings.pool));
  const at = pools.indexOf(choice);
  const [smaller, larger] = [pools[at - 1], pools[at + 1]];
  const reasons: string[] = [];
  if (choice.settings.pool === 1) {
    reasons.push(
      `P = 1 is enough: placement alone evens out the pools over ${choice.microSteps} micro-steps, and no rank exchanges tiles with another replica.`,
    );
  }
  if (smaller) {
    const waiting = share((smaller.breakdown.pools + smaller.breakdown.workers) / smaller.seconds);
    reasons.push(
      `P = ${smaller.settings.pool} is ${change(smaller, choice)}: ranks wait ${waiting} of a step.`,
    );
  }
  if (larger) {
    const exposed = share(larger.breakdown.exchange / larger.seconds);
    reasons.push(
      `P = ${larger.settings.pool} is ${change(larger, choice)}: exchange that nothing hides is ${exposed} of a step.`,
    );
  }
  return reasons;
}

function whyLayout(choice: Simulation, usable: readonly Simulation[]): string[] {
  const other = bestOf(usable, (row) => row.layout.cp !== choice.layout.cp);
  if (!other) return [];
  const { cp } = other.layout;
  return [`With cp ${cp} the best is ${title(other)}: ${change(other, choice)}.`];
}

function whyMemory(choice: Simulation, rows: readonly Simulation[], anyFits: boolean): string[] {
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(0)} GB`;
  if (!anyFits) {
    const { total, available } = choice.memory;
    return [
      `Nothing fits: the fullest rank needs ${gigabytes(total)} of ${gigabytes(available)}. Try a larger cp, pp or tp, recompute "full", or sharding "zero3".`,
    ];
  }
  const left = rows.filter((row) => !row.memory.fits);
  if (left.length === 0) return [];
  return [`Left out for memory: ${left.map((row) => title(row)).join("; ")}.`];
}

function bestOf(rows: readonly Simulation[], fits: (row: Simulation) => boolean) {
  return rows
    .filter(fits)
    .reduce<Simulation | undefined>(
      (best, row) => (best === undefined || row.utilisation > best.utilisation ? row : best),
      undefined,
    );
}

function title({ strategy, settings }: Simulation): string {
  return strategy === "libra" ? `libra with P = ${settings.pool}` : strategy;
}

// How a row compares with another, in words; `name` is what the other is called, if it needs a name.
function change(row: Simulation, base: Simulation, name?: string): string {
  const ratio = row.utilisation / base.utilisation;
  if (ratio >= 2) return `${ratio.toFixed(2)} × the speed${name ? ` of ${name}` : ""}`;
  const percent = 100 * (ratio - 1);
  if (Math.abs(percent) < 0.05) return name ? `as fast as ${name}` : "as fast";
  const word = percent > 0 ? "faster" : "slower";
  return `${Math.abs(percent).toFixed(1)} % ${word}${name ? ` than ${name}` : ""}`;
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
