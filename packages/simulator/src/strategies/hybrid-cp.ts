import { LibraError } from "@libra/base";
import { createSampler } from "@libra/sampler";
import { nodeLayout } from "../machine/cluster.js";
import type { Scenario } from "../scenario.js";
import type { PoolStep, StepWork } from "../step/step-work.js";
import { type HybridGroup, hybridGroups } from "./hybrid-groups.js";
import { perDocumentPlanner } from "./per-document.js";
import { type CorpusOptions, pairsOf } from "./planned-strategy.js";
import { integerSetting, requireSettings, type SettingsInput, shareSetting } from "./settings.js";
import type { Strategy } from "./strategy.js";

/**
 * Megatron-style hybrid context parallelism: every document gets the least power of two of ranks
 * that holds it, documents of a group run one after another, and all ranks meet after each
 * micro-step. The step has the documents that plain packing would put into its windows.
 *
 * @throws LibraError `UNSUPPORTED` with a pipeline, as in Megatron
 */
export function hybridCp(
  scenario: Scenario,
  corpus: CorpusOptions,
  settings: SettingsInput,
): Strategy {
  const { layout, window, microSteps, seed, positions, heads, cluster } = scenario;
  requireSettings("hybridCp", settings, ["tokensPerRank", "slack"]);
  if (layout.pp > 1) {
    throw new LibraError("UNSUPPORTED", "hybridCp has no pipeline schedule: pp must be 1");
  }
  const tokensPerRank = integerSetting(
    settings,
    "tokensPerRank",
    Math.ceil(window / layout.cp),
    Math.ceil(window / positions),
  );
  const slack = shareSetting(settings, "slack", 0.05);
  const { cost } = scenario;
  const sampler = createSampler({
    ...corpus,
    window,
    dp: layout.dp,
    microSteps,
    seed,
    placement: "arrival",
    cost,
  });
  const nodes = nodeLayout(cluster);
  const plan = perDocumentPlanner(4);

  function poolStep(group: HybridGroup, lengths: ArrayLike<number>): PoolStep {
    const { first, size, documents } = group;
    const cuSeqlens = new Int32Array(documents.length + 1);
    documents.forEach((document, i) => {
      cuSeqlens[i + 1] = cuSeqlens[i]! + lengths[document]!;
    });
    const places = Array.from({ length: size }, (_, worker) => first + worker);
    const ranks = places.map((position) => position * layout.tp);
    const input = { sequences: [cuSeqlens], heads, owned: [], cp: size, cost, nodes, ranks };
    const longest = documents.reduce((most, d) => Math.max(most, lengths[d]!), 0);
    return {
      plan: plan(input),
      positions: places,
      tokensHeld: Math.ceil(longest / size),
    };
  }

  return {
    name: "hybridCp",
    settings: Object.freeze({ tokensPerRank, slack }),
    changesStep: false,
    warmUp: 0,
    poolRanks: 1,
    next(): StepWork {
      const step = sampler.next();
      const lengths = step.segmentLength;
      const groups = hybridGroups(lengths, { ranks: positions, tokensPerRank, slack });
      return {
        microSteps: groups.length,
        tokens: step.tokens,
        pairs: pairsOf(step),
        hops: 1,
        pingPong: false,
        meets: true,
        *pools(microStep) {
          for (const group of groups[microStep]!) yield poolStep(group, lengths);
        },
        stepSkew: step.stepSkew,
        arrivalSkew: step.arrivalSkew,
        bound: step.bound,
        delayedDocuments: 0,
        extraTokens: 0,
      };
    },
  };
}
