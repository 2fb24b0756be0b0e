import type { AttentionHeads } from "@libra/cost-model";
import { cast, type Stream, type Tensor } from "@libra/runtime";
import type { ExchangeProgram } from "@libra/scheduler";
import type { Staging } from "./exchange.js";
import type { KeptTiles } from "./pass.js";
import { arrivingKeys, type VectorRange } from "./vector-ranges.js";

/**
 * Float32 copies of bfloat16 tiles, for kernels whose results must not be rounded: the forward kernel
 * of bfloat16 tiles writes bfloat16 outputs.
 */
export class WideTiles {
  readonly tiles: KeptTiles;

  constructor(
    staging: Staging,
    private readonly program: ExchangeProgram,
    private readonly narrow: KeptTiles,
    { headDim, valueDim }: AttentionHeads,
  ) {
    const { stagingQuery, stagingKey } = program.buffers;
    this.tiles = {
      q: staging.empty(stagingQuery, headDim),
      k: staging.empty(stagingKey, headDim),
      v: staging.empty(stagingKey, valueDim),
    };
  }

  /** What has come with a chunk; the rest may still be written by its dispatch. */
  widen(stream: Stream, chunk: number): void {
    const { narrow, tiles, program } = this;
    const { chunkQueryOffsets } = program;
    const queries = [chunkQueryOffsets[chunk]!, chunkQueryOffsets[chunk + 1]!] as const;
    castRanges(stream, narrow.q, tiles.q, [queries]);
    const keys = arrivingKeys(program, chunk);
    castRanges(stream, narrow.k, tiles.k, keys);
    castRanges(stream, narrow.v, tiles.v, keys);
  }
}

/** Casts some vectors of a tensor to the same vectors of another. */
export function castRanges(
  stream: Stream,
  from: Tensor,
  to: Tensor,
  ranges: readonly VectorRange[],
): void {
  for (const [start, end] of ranges) {
    if (end > start) cast(stream, { from: from.slice(start, end), to: to.slice(start, end) });
  }
}
