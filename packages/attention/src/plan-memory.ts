import type { ExchangeProgram, TilePlan } from "@libra/scheduler";
import type { MergeRound } from "./merge.js";
import type { ModeMemory, PassMemory } from "./stats.js";

const bytesPerElement = 4;

const none: ModeMemory = Object.freeze({ held: 0, forward: 0, backward: 0 });

/** A plan that moves nothing has no staging, whatever is kept. */
export const noMemory: PassMemory = Object.freeze({ keepTiles: none, sendAgain: none });

/** Bytes that the passes of one layer take on a worker, in both modes of `keepTiles`. */
export function planMemory(
  plan: TilePlan,
  program: ExchangeProgram,
  rounds: readonly MergeRound[],
): PassMemory {
  const { headDim, valueDim } = plan.heads;
  const key = headDim + valueDim;
  const { buffers, hops } = program;
  const { stagingQuery, stagingKey, partialKey, relayPartial } = buffers;
  const { relayQuery, relayKey } = hops === 2 ? buffers : { relayQuery: 0, relayKey: 0 };
  const partialQuery = plan.keyRanges ? buffers.partialQuery : 0;
  // Merging gathers both sides of each round.
  const merged = rounds.reduce((sum, { vectors }) => sum + 2 * vectors, 0);

  const inputs = stagingQuery * headDim + stagingKey * key;
  const inputRelays = relayQuery * headDim + relayKey * key;
  const outputs = (stagingQuery + partialQuery + relayQuery + merged) * (valueDim + 1);
  const gradients =
    (stagingQuery + relayQuery) * (valueDim + 2) +
    (stagingQuery + partialQuery + relayQuery + merged) * headDim +
    (stagingKey + partialKey) * key +
    (hops === 2 ? relayPartial + relayKey : 0) * key;
  const bytes = (elements: number) => elements * bytesPerElement;
  const forward = bytes(inputs + inputRelays + outputs);
  return {
    keepTiles: { held: bytes(inputs), forward, backward: bytes(gradients) },
    sendAgain: { held: 0, forward, backward: bytes(inputs + inputRelays + gradients) },
  };
}
