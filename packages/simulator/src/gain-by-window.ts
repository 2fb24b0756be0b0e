import { LibraError } from "@libra/base";
import { type CompareOptions, compare } from "./compare.js";
import type { Simulation } from "./simulate.js";

/** What Libra brings at one window, beside plain packing and a repacking baseline. */
export interface WindowGain {
  readonly window: number;
  readonly cp: number;
  readonly dp: number;
  readonly plain: Simulation;
  readonly wlb: Simulation;
  /** The best of placement alone and pools. */
  readonly libra: Simulation;
  /** Speed of Libra over plain packing, and over WLB-LLM; 1: nothing. */
  readonly overPlain: number;
  readonly overWlb: number;
}

/**
 * The same training at shorter windows: tokens of a rank and of a step stay as they are, so that cp
 * shrinks with the window. Where documents are short beside the window, or attention is little of
 * the work, Libra brings nothing: these rows say where that begins.
 *
 * Pools that do not divide a window's dp are left out; when none does, 1, 2, 4 and 8 are tried.
 *
 * @param windows - default: the window, its quarter, sixteenth and sixty-fourth, down to 2,048
 * @returns one entry for each window that the devices can be laid out for
 */
export function gainByWindow(
  options: CompareOptions,
  windows: readonly number[] = [1, 4, 16, 64].map((part) => options.window / part),
): WindowGain[] {
  const gains: WindowGain[] = [];
  const { cp = 1, tp = 1, pp = 1, gpus } = options;
  const batch = options.globalBatch ?? gpus / tp / cp;
  for (const window of windows) {
    if (!Number.isInteger(window) || window < 2048) continue;
    const shorter = options.window / window;
    const narrow = Math.max(1, Math.round(cp / shorter));
    const dp = gpus / (narrow * tp * pp);
    if (!Number.isInteger(dp)) continue;
    const globalBatch = Math.max(1, Math.round((batch * shorter) / dp)) * dp;
    try {
      gains.push(gainAt({ ...options, window, cp: narrow, globalBatch }, dp));
    } catch (error) {
      if (!(error instanceof LibraError)) throw error;
    }
  }
  return gains;
}

function gainAt({ cps: _, worlds: __, ...options }: CompareOptions, dp: number): WindowGain {
  const { pools: wanted = [] } = options.candidates ?? {};
  const fitting = wanted.filter((pool) => dp % pool === 0);
  const pools = fitting.length > 0 ? fitting : [1, 2, 4, 8].filter((pool) => dp % pool === 0);
  const { rows, refused } = compare({
    ...options,
    strategies: ["ulysses", "wlb", "libra"],
    candidates: { chunks: [4], ...options.candidates, pools },
  });
  const best = (strategy: Simulation["strategy"]) => {
    const [first, ...rest] = rows.filter((row) => row.strategy === strategy);
    if (first !== undefined) {
      return rest.reduce((top, row) => (row.utilisation > top.utilisation ? row : top), first);
    }
    const why = refused.find((entry) => entry.strategy === strategy)?.reason;
    throw new LibraError("UNSUPPORTED", `${strategy} cannot run: ${why}`);
  };
  const [plain, wlb, libra] = [best("ulysses"), best("wlb"), best("libra")];
  return {
    window: options.window,
    cp: options.cp ?? 1,
    dp,
    plain,
    wlb,
    libra,
    overPlain: libra.utilisation / plain.utilisation,
    overWlb: libra.utilisation / wlb.utilisation,
  };
}
