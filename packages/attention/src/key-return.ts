import type { FloatType, VectorBlocks } from "@libra/runtime";
import type { ExchangeProgram, TilePlan } from "@libra/scheduler";
import { sharesKeys } from "./shared-keys.js";

/** How dK and dV come back to their owners; equal on all ranks but for `scatter`'s places. */
export interface KeyReturn {
  /**
   * On the wire: float32 where several workers contribute to a key, or could be summed on the way;
   * otherwise the operator's type.
   */
  readonly dtype: FloatType;
  /**
   * Where the vectors of `partialKey` go at home, when each comes from one worker alone; undefined
   * when `program.accumulate` must sum them in float32.
   */
  readonly scatter: VectorBlocks | undefined;
}

/** The return of a plan whose tensors have a type. */
export function keyReturn(plan: TilePlan, program: ExchangeProgram, dtype: FloatType): KeyReturn {
  // Relays sum what comes from their node.
  if (sharesKeys(plan) || program.hops === 2 || dtype === "bfloat16") {
    return { dtype: "float32", scatter: undefined };
  }
  return { dtype, scatter: blocksOf(program) };
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
