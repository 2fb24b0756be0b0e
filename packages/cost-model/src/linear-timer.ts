import { requireInteger } from "@libra/base";
import type { PassCoefficients } from "./coefficients.js";
import { paddedSegmentPairs } from "./pairs.js";
import type { AttentionTimer } from "./timer.js";

/**
 * The calibrated timer: `launch + heads · Σ_segments (α·paddedPairs + β·rows + γ·keys + δ)`. A
 * segment without rows or keys costs nothing.
 *
 * @param coefficients - seconds, forward and backward
 * @param rowBlock - query rows of the kernel's block
 */
export function linearTimer(coefficients: PassCoefficients, rowBlock: number): AttentionTimer {
  requireInteger(rowBlock, "rowBlock", 1);
  return Object.freeze<AttentionTimer>({
    name: `linear/${rowBlock}`,
    rowBlock,
    launch: (pass) => coefficients[pass].launch,
    segment(pass, mask, rows, keys) {
      if (rows === 0 || keys === 0) return 0;
      const { pairs, rows: perRow, keys: perKey, segment } = coefficients[pass];
      const paddedPairs = paddedSegmentPairs(mask, rows, keys, rowBlock);
      return pairs * paddedPairs + perRow * rows + perKey * keys + segment;
    },
  });
}
