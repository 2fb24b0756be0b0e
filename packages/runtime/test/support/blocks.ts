import type { BlockList } from "../../src/index.js";

/** One block to write in a {@link BlockList}. */
export interface Block {
  readonly buffer?: number;
  readonly offset: number;
  readonly rows: number;
  readonly stride?: number;
  readonly width?: number;
}

/** A block list from the blocks of each peer. */
export function blockList(peers: readonly (readonly Block[])[]): BlockList {
  const blocks = peers.flat();
  const peerOffsets = new Int32Array(peers.length + 1);
  peers.forEach((own, peer) => {
    peerOffsets[peer + 1] = peerOffsets[peer]! + own.length;
  });
  return {
    peerOffsets,
    buffer: Uint8Array.from(blocks, ({ buffer }) => buffer ?? 0),
    offset: Float64Array.from(blocks, ({ offset }) => offset),
    rows: Int32Array.from(blocks, ({ rows }) => rows),
    stride: Int32Array.from(blocks, ({ stride }) => stride ?? 1),
    width: Int32Array.from(blocks, ({ width }) => width ?? 1),
  };
}

/** `counts[peer]` vectors to or from each peer, one after another. */
export function consecutive(counts: readonly number[]): BlockList {
  let offset = 0;
  return blockList(
    counts.map((rows) => {
      const block = { offset, rows };
      offset += rows;
      return [block];
    }),
  );
}
