// Published speeds of attention kernels in bf16, head dim 128, in TFLOPs/s (backward counted as five
// products), as shares of the device's dense peak. Forward kernels loop over keys and backward
// kernels over rows, so a forward share depends on keys and a backward share on rows.
import type { EfficiencyTable } from "./efficiency-table.js";
import type { PassEfficiency } from "./efficiency-timer.js";

interface Measurements {
  forward: PassEfficiency;
  backward: PassEfficiency;
}

function forwardTable(peak: number, lengths: number[], speeds: number[]): EfficiencyTable {
  return Object.freeze({
    rows: [1],
    keys: lengths,
    shares: [speeds.map((speed) => speed / peak)],
  });
}

function byRows(peak: number, lengths: number[], speeds: number[]): EfficiencyTable {
  return Object.freeze({
    rows: lengths,
    keys: [1],
    shares: speeds.map((speed) => [speed / peak]),
  });
}

/** Dense bf16 peaks in TFLOPs/s that the shares are relative to; sources beside the presets. */
export const densePeaks = Object.freeze({ a100: 312, h100: 989.4, b200: 2250 });

const hopperLengths = [512, 1024, 2048, 4096, 8192, 16384];
const hopperFull = [467, 565, 625, 638, 646, 648];
const hopperCausal = [292, 423, 521, 579, 602, 616];
const hopperBackward = [316, 424, 501, 542, 559, 561];

/**
 * H100 SXM, FlashAttention-3: arXiv 2407.08608, figure 5 (forward, without and with causal mask) and
 * figure 6 (backward, without). Causal backward: the backward figure times the forward figures'
 * ratio of causal to full.
 */
export const hopperMeasurements: Measurements = Object.freeze({
  forward: {
    full: forwardTable(densePeaks.h100, hopperLengths, hopperFull),
    causal: byRows(densePeaks.h100, hopperLengths, hopperCausal),
  },
  backward: {
    full: byRows(densePeaks.h100, hopperLengths, hopperBackward),
    causal: byRows(
      densePeaks.h100,
      hopperLengths,
      hopperBackward.map((speed, i) => (speed * hopperCausal[i]!) / hopperFull[i]!),
    ),
  },
});

const ampereLengths = [1024, 4096];
const ampereFull = [177.67, 185.64];
const ampereCausal = [143.7, 156.27];
// FlashAttention-2's backward over its forward, on H100: arXiv 2407.08608, figures 5 and 6.
const ampereRatio = [260 / 350, 310 / 368];

/**
 * A100 SXM, FlashAttention-2: github.com/liangan1/GPU_travel, performance/flash-attn/README.md, 32
 * heads (forward). Backward: the forward figure times the ratio that the same kernel shows on H100.
 */
export const ampereMeasurements: Measurements = Object.freeze({
  forward: {
    full: forwardTable(densePeaks.a100, ampereLengths, ampereFull),
    causal: byRows(densePeaks.a100, ampereLengths, ampereCausal),
  },
  backward: {
    full: byRows(
      densePeaks.a100,
      ampereLengths,
      ampereFull.map((speed, i) => speed * ampereRatio[i]!),
    ),
    causal: byRows(
      densePeaks.a100,
      ampereLengths,
      ampereCausal.map((speed, i) => speed * ampereRatio[i]!),
    ),
  },
});

const blackwellLengths = [1024, 2048, 4096, 8192, 16384];
const blackwellFull = [1205, 1279, 1328, 1358, 1362];
const blackwellCausal = [697, 927, 1090];
// Backward over forward at length 8192, two-CTA kernel: Dao-AILab/flash-attention pull request 2280.
const blackwellRatio = { full: 1359.8 / 1534.8, causal: 1208.6 / 1418.1 };

/**
 * B200, FlashAttention-4: github.com/Dao-AILab/flash-attention pull request 2605 (forward, the table
 * whose shares are relative to 2250 TFLOPs/s). Backward: the forward figure times the ratio of pull
 * request 2280.
 */
export const blackwellMeasurements: Measurements = Object.freeze({
  forward: {
    full: forwardTable(densePeaks.b200, blackwellLengths, blackwellFull),
    causal: byRows(densePeaks.b200, blackwellLengths.slice(0, 3), blackwellCausal),
  },
  backward: {
    full: byRows(
      densePeaks.b200,
      blackwellLengths,
      blackwellFull.map((speed) => speed * blackwellRatio.full),
    ),
    causal: byRows(
      densePeaks.b200,
      blackwellLengths.slice(0, 3),
      blackwellCausal.map((speed) => speed * blackwellRatio.causal),
    ),
  },
});
