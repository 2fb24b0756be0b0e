import { parameterCount } from "@libra/cost-model";
import { type GroupShape, groupShape } from "../machine/collectives.js";
import type { Scenario } from "../scenario.js";

/** Parameters of one rank that are reduced in one group. */
export interface ParameterGroup {
  /** Parameters of the rank's stage, before sharding; embeddings spread evenly over stages. */
  readonly count: number;
  /** Ranks that hold the same parameters: they reduce gradients and share optimizer state. */
  readonly group: GroupShape;
}

/** Parameters of a rank by who else holds them: everything but experts, and experts. */
export function parameterGroups(scenario: Scenario): readonly ParameterGroup[] {
  const { model, layout, cluster, expertParallel, positions } = scenario;
  const { tp, pp } = layout;
  const experts = 3 * model.layers * model.hidden * model.ffn * model.experts;
  const shared: ParameterGroup = {
    count: (parameterCount(model) - experts) / (tp * pp),
    group: groupShape(cluster, positions, tp),
  };
  if (experts === 0) return [shared];
  return [
    shared,
    {
      count: experts / (tp * pp * expertParallel),
      group: groupShape(cluster, positions / expertParallel, tp * expertParallel),
    },
  ];
}

/** Bytes of one gradient element: accumulated and reduced in float32. */
export const gradientBytes = 4;

/** Bytes of one parameter's optimizer state: float32 copy and two moments (AdamW). */
export const optimizerBytes = 12;
