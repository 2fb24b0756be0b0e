import { requireInteger, requireNumber } from "@libra/base";
import {
  type EfficiencyTable,
  interpolateEfficiency,
  requireEfficiencyTable,
} from "./efficiency-table.js";
import { attentionFlops, type Pass } from "./flops.js";
import { causalPairs, segmentPairs } from "./pairs.js";
import type { AttentionTimer } from "./timer.js";

/** Measured shares of peak of one pass. */
export interface PassEfficiency {
  /** Full rectangles. */
  readonly full: EfficiencyTable;
  /** Whole causal documents: rows and keys are both the length; one column of keys. */
  readonly causal: EfficiencyTable;
}

/** What {@link efficiencyTimer} needs to know of a device. */
export interface EfficiencyTimerOptions {
  readonly name: string;
  /** FLOPs per second of the device. */
  readonly peak: number;
  readonly forward: PassEfficiency;
  readonly backward: PassEfficiency;
  /** Elements of one query or key vector. */
  readonly headDim: number;
  /** Elements of one value vector; default `headDim`. */
  readonly valueDim?: number;
  /** Query rows of the kernel's block; default 128. */
  readonly rowBlock?: number;
  /** Seconds of one kernel call; default 5 µs. */
  readonly launch?: number;
}

/**
 * A timer from published measurements: `FLOPs / (peak × share)`, the share interpolated in a (log
 * rows, log keys) table. A causal segment is a rectangle (the keys before its first row) and a
 * triangle; a triangle longer than the causal table is its diagonal of the table's longest triangles
 * and rectangles beside them. Published figures fill the device, so the time holds for calls that do.
 *
 * @throws LibraError `ARGUMENT` for a table that does not fit its axes
 */
export function efficiencyTimer(options: EfficiencyTimerOptions): AttentionTimer {
  const { name, peak, headDim, valueDim = headDim, rowBlock = 128, launch = 5e-6 } = options;
  requireNumber(peak, "peak", Number.MIN_VALUE);
  requireNumber(launch, "launch", 0);
  requireInteger(rowBlock, "rowBlock", 1);
  for (const pass of ["forward", "backward"] as const) {
    requireEfficiencyTable(options[pass].full, `${pass}.full`);
    requireEfficiencyTable(options[pass].causal, `${pass}.causal`);
  }
  const secondsPerPair = (pass: Pass) => attentionFlops(pass, { headDim, valueDim }, 1) / peak;

  function rectangle(pass: Pass, pairs: number, rows: number, keys: number): number {
    if (pairs === 0) return 0;
    return (secondsPerPair(pass) * pairs) / interpolateEfficiency(options[pass].full, rows, keys);
  }

  // Shares are looked up at whole row blocks, so that within a block time grows with the pairs.
  function triangle(pass: Pass, length: number, padded: number): number {
    if (length === 0) return 0;
    const { causal } = options[pass];
    const longest = causal.rows[causal.rows.length - 1]!;
    const diagonal = Math.min(length, longest);
    const diagonalPairs = (length / diagonal) * causalPairs(0, diagonal);
    const seconds =
      (secondsPerPair(pass) * diagonalPairs) / interpolateEfficiency(causal, padded, padded);
    return seconds + rectangle(pass, causalPairs(0, length) - diagonalPairs, padded, padded);
  }

  return Object.freeze<AttentionTimer>({
    name,
    rowBlock,
    launch: () => launch,
    segment(pass, mask, rows, keys) {
      if (rows === 0 || keys === 0) return 0;
      const padded = Math.ceil(rows / rowBlock) * rowBlock;
      if (mask.kind === "full") return rectangle(pass, padded * keys, padded, keys);
      if (mask.kind === "sliding" && mask.slidingWindow < keys) {
        const width = mask.slidingWindow;
        const pairs = segmentPairs(mask, rows, keys) + (padded - rows) * width;
        return rectangle(pass, pairs, padded, width);
      }
      const seeing = Math.min(rows, keys);
      const before = seeing * (keys - seeing) + (padded - rows) * keys;
      return (
        rectangle(pass, before, padded, keys) +
        triangle(pass, seeing, Math.ceil(seeing / rowBlock) * rowBlock)
      );
    },
  });
}
