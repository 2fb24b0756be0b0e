import type { ModeMemory } from "@libra/attention";
import type { Rank, Stream } from "@libra/runtime";
import type { TrainConfig } from "../config/schema.js";
import { gatherNumbers } from "./gather.js";
import type { Strategy } from "./strategy.js";

/** Bytes that attention takes beside the model's tensors, on the rank where it is most. */
export interface AttentionMemory {
  /** Whether the run keeps tiles. */
  readonly keepTiles: boolean;
  /** With kept tiles: from forward to backward, all layers; during one backward call. */
  readonly kept: Pick<ModeMemory, "held" | "backward">;
  /** Without: the same. */
  readonly sentAgain: Pick<ModeMemory, "held" | "backward">;
}

/** What the last micro-step's plan takes in both modes; every rank calls it. */
export async function attentionMemory(
  rank: Rank,
  stream: Stream,
  strategy: Strategy,
  { strategy: { keepTiles } }: TrainConfig,
  layers: number,
): Promise<AttentionMemory> {
  const { keepTiles: kept, sendAgain } = strategy.stats()!.memory;
  const all = await gatherNumbers(rank, stream, [
    layers * kept.held,
    kept.backward,
    layers * sendAgain.held,
    sendAgain.backward,
  ]);
  const most = (i: number) => all.reduce((greatest, bytes) => Math.max(greatest, bytes[i]!), 0);
  return {
    keepTiles,
    kept: { held: most(0), backward: most(1) },
    sentAgain: { held: most(2), backward: most(3) },
  };
}

/** One line for people. */
export function describeMemory({ keepTiles, kept, sentAgain }: AttentionMemory): string {
  const size = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const mode = (name: string, { held, backward }: AttentionMemory["kept"]) =>
    `${name} ${size(held)} until backward and ${size(backward)} during it`;
  return `attention memory of the fullest rank: ${mode("keepTiles true", kept)}, ${mode("false", sentAgain)} (this run: ${keepTiles})`;
}
