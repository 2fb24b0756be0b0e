const nearBound = 0.005;
const near = { largestBound: 1.05, leastPool: 8 };
const gatedData = new Set(["lognormal", "standIn", "wlbllm x1", "prolong"]);

/**
 * What placement is held to: within 0.5 % of the bound in mean on four sets wherever the bound is
 * below 1.05 and pools have 8 or more; never worse than longest first; 0.1 % of the exact optimum.
 * Elsewhere the gap is printed.
 */
export function gatesOf(rows, exact) {
  const libra = rows.filter(({ strategy }) => strategy === "libra");
  const gap = ({ skew, bound }) => skew / bound - 1;
  const gated = libra.filter(
    ({ data, bound, pool }) =>
      gatedData.has(data) && bound < near.largestBound && pool >= near.leastPool,
  );
  const beyond = gated.filter((row) => gap(row) > nearBound);
  const worse = libra.filter((row) => {
    const other = rows.find(
      (candidate) => candidate.strategy === "longestFirst" && sameConfiguration(candidate, row),
    );
    return row.skew > other.skew + 1e-6;
  });
  const meanGap = gated.reduce((sum, row) => sum + gap(row) / gated.length, 0);
  const lines = [
    `within 0.5 % of the bound: ${gated.length - beyond.length} of ${gated.length} configurations, mean gap ${percent(meanGap)}`,
    ...beyond.map((row) => `  beyond: ${describe(row)}`),
    `never worse than longest first: ${worse.length === 0 ? "met" : `NOT met in ${worse.length}`}`,
    `within 0.1 % of the exact optimum: ${exact.within} of ${exact.checked} problems (${exact.skipped} skipped), worst ${percent(exact.worst)}`,
  ];
  const others = libra.filter((row) => !gated.includes(row)).sort((a, b) => gap(b) - gap(a));
  lines.push("largest gaps elsewhere:", ...others.slice(0, 12).map((row) => `  ${describe(row)}`));
  const values = {
    gated: gated.length,
    beyond: beyond.length,
    meanGap: Number(meanGap.toFixed(6)),
    worseThanLongestFirst: worse.length,
  };
  return { lines, values };

  function describe(row) {
    const { data, window, dp, pool, sync, microSteps, skew, bound } = row;
    return `${data} ${window / 1024}K dp ${dp} pool ${pool} ${sync} × ${microSteps}: ${skew.toFixed(4)}, bound ${bound.toFixed(4)}, gap ${percent(gap(row))}`;
  }
}

function sameConfiguration(a, b) {
  return ["data", "window", "dp", "pool", "sync", "microSteps"].every((key) => a[key] === b[key]);
}

const percent = (share) => `${(100 * share).toFixed(3)} %`;
