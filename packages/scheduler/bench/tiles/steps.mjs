// Steps of a corpus as pools that a tile planner takes.
import { pairsCost } from "@libra/cost-model";
import { createSampler, cuSeqlensOf } from "@libra/sampler";
import { contiguousRows, stripedRows } from "@libra/topology";

const cost = pairsCost(128);
const nodes = { ranksPerNode: 8 };

/**
 * Pools of the first steps of an epoch.
 *
 * @returns per step the pools and the placement's skew over pools; none where the corpus is too small
 */
export function stepsOf(lengths, setting, placement, count) {
  const { window, dp, pool, cp, queryHeads, kvHeads } = setting;
  const heads = { queryHeads, kvHeads, headDim: 128, valueDim: 128 };
  let tokens = 0;
  for (const length of lengths) tokens += length;
  if (tokens < window * dp) return [];
  const sampler = createSampler({ lengths, window, dp, poolSize: pool, cp, placement, cost });
  const steps = Math.min(count, sampler.stepsPerEpoch);
  return Array.from({ length: steps }, () => {
    const plan = sampler.next();
    const pools = Array.from({ length: dp / pool }, (_, k) => {
      const sequences = Array.from({ length: pool }, (_, i) => cuSeqlensOf(plan, k * pool + i));
      const owned = sequences.map((cu) => contiguousRows(cu[cu.length - 1], cp));
      return { sequences, heads, owned, cp, cost, nodes };
    });
    return { pools, placementSkew: plan.stepSkew };
  });
}

/** The same pool with striped rows in place of contiguous ones. */
export function striped(pool) {
  const { sequences, cp } = pool;
  const owned = sequences.map((cuSeqlens, s) => {
    const ranks = Array.from({ length: cp }, (_, c) => s * cp + c);
    return stripedRows(cuSeqlens, cp, { nodes, ranks });
  });
  return { ...pool, owned };
}
