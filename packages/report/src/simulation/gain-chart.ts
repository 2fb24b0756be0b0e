import type { Chart } from "../chart/chart.js";
import { linePoints } from "../chart/line-points.js";
import { formatTokens } from "../format.js";
import type { WindowSpeedUp } from "../read/read-simulation.js";

/** What Libra brings at shorter windows, rows where it brings nothing included. */
export function gainChart(gains: readonly WindowSpeedUp[]): Chart {
  const points = (pick: (gain: WindowSpeedUp) => number | undefined) =>
    gains.flatMap((gain) => {
      const y = pick(gain);
      if (y === undefined) return [];
      return [
        { x: gain.window, y, note: `window ${formatTokens(gain.window)}: ${y.toFixed(3)} ×` },
      ];
    });
  const baseline = points(({ overWlb }) => overWlb).sort((a, b) => a.x - b.x);
  const plain = points(({ overPlain }) => overPlain).sort((a, b) => a.x - b.x);
  return {
    id: "gain",
    title: "What Libra brings, by window",
    summary:
      "Speed of Libra at its best over plain packing and over WLB-LLM, with the same tokens in a step. At 1 it brings nothing.",
    views: [
      linePoints(
        [
          { name: "over plain packing", color: "attention", points: plain },
          ...(baseline.length > 0
            ? [{ name: "over WLB-LLM", color: "third" as const, points: baseline }]
            : []),
        ],
        {
          label: "gain",
          xLabel: "window, tokens",
          yLabel: "speed-up",
          doubling: true,
          floor: 1,
        },
      ),
    ],
  };
}
