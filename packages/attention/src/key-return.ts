import { LibraError } from "@libra/base";
import type { FloatType, VectorBlocks } from "@libra/runtime";
import {
  bufferIds,
  type ExchangeProgram,
  exchangeProgram,
  type OrderedAdds,
  type TilePlan,
} from "@libra/scheduler";
import { sharesKeys } from "./shared-keys.js";

/** How dK and dV of other workers come back to their owner; `dtype` is equal on all ranks. */
export interface KeyReturn {
  /**
   * On the wire: float32 where several workers contribute to a key, or could be summed on the way;
   * otherwise the operator's type.
   */
  readonly dtype: FloatType;
  /**
   * Where the vectors of `partialKey` go at home, when each comes from one worker alone; undefined
   * when they must be summed in float32.
   */
  readonly scatter: VectorBlocks | undefined;
  /** Sums of partials that come before the part of the owner's home tiles in the fixed order. */
  readonly before: OrderedAdds;
  /** And after it; none without home tiles. */
  readonly after: OrderedAdds;
}

const nothing: OrderedAdds = Object.freeze({
  from: new Float64Array(0),
  to: new Float64Array(0),
  rows: new Int32Array(0),
  stride: new Int32Array(0),
});

/** Nothing comes back. */
export const noReturn: KeyReturn = Object.freeze({
  dtype: "float32",
  scatter: undefined,
  before: nothing,
  after: nothing,
});

/**
 * The return of a plan whose tensors have a type.
 *
 * @param program - of the plan's tiles that are sent
 * @param home - whether this worker has others, its home tiles
 */
export function keyReturn(
  plan: TilePlan,
  program: ExchangeProgram,
  dtype: FloatType,
  home: boolean,
): KeyReturn {
  // Relays sum what comes from their node.
  if (!sharesKeys(plan) && program.hops === 1) {
    return { dtype, scatter: blocksOf(program), before: nothing, after: nothing };
  }
  const sums = home ? aroundHome(plan, program) : { before: program.accumulate, after: nothing };
  return { dtype: "float32", scatter: undefined, ...sums };
}

// One worker a key: every partial is a whole, and the entries, put in the order of partialKey,
// list its vectors one after another.
function blocksOf({ accumulate }: ExchangeProgram): VectorBlocks {
  const { from, to, rows, stride } = accumulate;
  const order = Array.from(from.keys()).sort((a, b) => from[a]! - from[b]!);
  // Frozen, so that the runtime keeps its native copy.
  return Object.freeze({
    offset: Float64Array.from(order, (i) => to[i]!),
    rows: Int32Array.from(order, (i) => rows[i]!),
    stride: Int32Array.from(order, (i) => stride[i]!),
    width: new Int32Array(order.length).fill(1),
  });
}

/**
 * The sums of a program without home tiles, cut where the home tiles' part stands in the order: that
 * of the whole plan's program, whose entries are the same beside the owner's own.
 */
function aroundHome(plan: TilePlan, program: ExchangeProgram) {
  const { worker, heads, hops } = program;
  const whole = exchangeProgram(plan, worker, { hops });
  const own = ownPartials(whole);
  const passed = new Set<number>();
  const before: number[] = [];
  const after: number[] = [];
  let entry = 0;
  for (const [i, from] of whole.accumulate.from.entries()) {
    const kvHead = whole.accumulate.to[i]! % heads.kvHeads;
    if (own.has(from)) passed.add(kvHead);
    else (passed.has(kvHead) ? after : before).push(entry++);
  }
  const entries = program.accumulate.from.length;
  if (entry !== entries) {
    throw new LibraError("INTERNAL", `Expected ${entry} sums without home tiles, found ${entries}`);
  }
  return { before: pick(program.accumulate, before), after: pick(program.accumulate, after) };
}

/** First vectors of the blocks of `partialKey` that a worker receives from itself. */
function ownPartials({ chunks, worker }: ExchangeProgram): ReadonlySet<number> {
  const own = new Set<number>();
  for (const hop of chunks.flatMap((chunk) => chunk.return)) {
    const { peerOffsets, offset, buffer } = hop.key.receive;
    for (let block = peerOffsets[worker]!; block < peerOffsets[worker + 1]!; block += 1) {
      if (buffer[block] === bufferIds.end) own.add(offset[block]!);
    }
  }
  return own;
}

function pick(adds: OrderedAdds, entries: readonly number[]): OrderedAdds {
  return Object.freeze({
    from: Float64Array.from(entries, (i) => adds.from[i]!),
    to: Float64Array.from(entries, (i) => adds.to[i]!),
    rows: Int32Array.from(entries, (i) => adds.rows[i]!),
    stride: Int32Array.from(entries, (i) => adds.stride[i]!),
  });
}
