import { expected } from "@libra/base";
import { requireColumn } from "../communicator.js";
import type { Column, NativeSegments } from "../native/binding.js";
import { ListCache } from "../native/lists.js";
import { native } from "../native/native.js";

/**
 * Parts of one attention call, in columns with one entry per segment: the rows of the query heads
 * of one KV head against that head's keys. All offsets and strides count vectors, of the query side
 * (q, out, logSumExp, dOut, delta, dq) or the key side (k, v, dk, dv). A frozen list must not change
 * any more: its native copy is reused.
 */
export interface AttentionSegments {
  readonly count: number;
  /** Vector of row 0, first head. */
  readonly queryOffset: Float64Array | Int32Array;
  /** Vectors from one row to the next. */
  readonly queryStride: Int32Array;
  /** Query heads, consecutive vectors of a row. */
  readonly heads: Int32Array;
  readonly rows: Int32Array;
  readonly keyOffset: Float64Array | Int32Array;
  readonly keyStride: Int32Array;
  readonly keys: Int32Array;
  /** 1: row `i` sees keys 0 … keys − rows + i (bottom right); 0: every key. */
  readonly causal: Int32Array | Uint8Array;
}

export const segmentHandles = new ListCache<AttentionSegments, NativeSegments>((segments) => {
  const column = (name: keyof AttentionSegments & string): Column => {
    const values = requireColumn(segments?.[name], `segments.${name}`);
    if (values.length === segments.count) return values;
    throw expected(`${segments.count} entries (count)`, `segments.${name}`, values.length);
  };
  return native().segmentsCreate(
    column("queryOffset"),
    column("queryStride"),
    column("heads"),
    column("rows"),
    column("keyOffset"),
    column("keyStride"),
    column("keys"),
    column("causal"),
  );
});
