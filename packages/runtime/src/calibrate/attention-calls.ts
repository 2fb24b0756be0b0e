import type { SegmentShape } from "@libra/cost-model";
import type { AttentionSegments } from "../ops/segments.js";

/** Rows of one document, or of a part of it, against its keys. */
export interface CallPart {
  readonly rows: number;
  readonly keys: number;
  readonly causal: boolean;
}

/** Heads of the calls that are measured. */
export interface CallHeads {
  readonly kvHeads: number;
  /** Query heads of one KV head. */
  readonly group: number;
}

interface CallSegments extends AttentionSegments {
  readonly queryOffset: Float64Array;
  readonly keyOffset: Float64Array;
}

/** One kernel call: its list of segments, and the same as the cost model takes it. */
export interface AttentionCall {
  readonly name: string;
  readonly segments: CallSegments;
  readonly shapes: readonly SegmentShape[];
  /** The same segments further along the buffers, so that repeats do not find their data in caches. */
  readonly variants: readonly AttentionSegments[];
  /** Vectors that the call reads on each side. */
  readonly queries: number;
  readonly keys: number;
}

const document = (length: number): CallPart => ({ rows: length, keys: length, causal: true });
const tail = (rows: number, keys: number): CallPart => ({ rows, keys, causal: true });
const rectangle = (rows: number, keys: number): CallPart => ({ rows, keys, causal: false });
const packed = (...lengths: number[]): CallPart[] => lengths.map(document);

// Fractions of the longest document, so that one list serves every budget: whole documents, tails of
// documents (keys before the rows), rectangles (keys of other ranges), packed short documents.
const fitted: readonly ((n: number) => CallPart[])[] = [
  (n) => [document(n)],
  (n) => [document(n / 2)],
  (n) => [document(n / 4)],
  (n) => [document(n / 8)],
  (n) => [document(n / 16)],
  () => [document(40)],
  (n) => [tail(n / 8, n)],
  (n) => [tail(n / 4, n / 2)],
  (n) => [tail(96, n)],
  (n) => [rectangle(n / 8, n / 2)],
  (n) => [rectangle(n / 2, n / 8)],
  (n) => [rectangle(n / 16, n)],
  (n) => packed(...Array.from({ length: 16 }, () => n / 16)),
  () => packed(...Array.from({ length: 24 }, (_, i) => 10 + i)),
  (n) => packed(n / 2, n / 4, n / 8, n / 16, n / 16),
];

// No size of these is in the list above.
const heldOut: readonly ((n: number) => CallPart[])[] = [
  (n) => [document(0.8 * n)],
  (n) => [document(0.35 * n)],
  (n) => [document(0.17 * n)],
  (n) => [document(0.09 * n)],
  (n) => [tail(0.15 * n, 0.9 * n)],
  (n) => [tail(0.3 * n, 0.65 * n)],
  (n) => [rectangle(0.2 * n, 0.7 * n)],
  (n) => [rectangle(0.4 * n, 0.3 * n)],
  (n) => packed(0.41 * n, 0.3 * n, 0.11 * n, 0.07 * n),
  (n) => packed(...Array.from({ length: 12 }, (_, i) => (0.02 + 0.01 * i) * n)),
  (n) => [document(0.31 * n), tail(0.12 * n, 0.5 * n), rectangle(0.1 * n, 0.4 * n)],
];

/** The calls of a calibration, apart for the fit and for its check. */
export function calibrationCalls(
  longest: number,
  heads: CallHeads,
): { fitted: AttentionCall[]; heldOut: AttentionCall[] } {
  const build = (recipes: typeof fitted) =>
    recipes.map((recipe) => attentionCall(recipe(longest).map(wholeRows), heads));
  const [forFit, forCheck] = [build(fitted), build(heldOut)];
  const all = [...forFit, ...forCheck];
  const queries = Math.max(...all.map((call) => call.queries));
  const keys = Math.max(...all.map((call) => call.keys));
  const spread = (calls: AttentionCall[]) => calls.map((call) => withVariants(call, queries, keys));
  return { fitted: spread(forFit), heldOut: spread(forCheck) };
}

const mostVariants = 32;

/** As many copies of a call, side by side, as buffers of the given vectors hold. */
function withVariants(call: AttentionCall, queries: number, keys: number): AttentionCall {
  const room = Math.floor(Math.min(queries / call.queries, keys / call.keys));
  const variants = Array.from({ length: Math.min(mostVariants, room) }, (_, i) =>
    Object.freeze({
      ...call.segments,
      queryOffset: call.segments.queryOffset.map((offset) => offset + i * call.queries),
      keyOffset: call.segments.keyOffset.map((offset) => offset + i * call.keys),
    }),
  );
  return { ...call, variants };
}

function wholeRows({ rows, keys, causal }: CallPart): CallPart {
  return { rows: Math.max(1, Math.round(rows)), keys: Math.max(1, Math.round(keys)), causal };
}

/**
 * A call over parts as a worker's tile lays them out: query vectors [row][head], keys of each KV head
 * one after another.
 */
export function attentionCall(parts: readonly CallPart[], heads: CallHeads): AttentionCall {
  const { kvHeads, group } = heads;
  const count = parts.length * kvHeads;
  const column = () => new Int32Array(count);
  const segments = {
    count,
    queryOffset: new Float64Array(count),
    queryStride: column(),
    heads: column().fill(group),
    rows: column(),
    keyOffset: new Float64Array(count),
    keyStride: column().fill(1),
    keys: column(),
    causal: column(),
  };
  let [row, key] = [0, 0];
  parts.forEach(({ rows, keys, causal }, part) => {
    for (let head = 0; head < kvHeads; head++) {
      const i = part * kvHeads + head;
      segments.queryOffset[i] = row * kvHeads * group + head * group;
      segments.queryStride[i] = kvHeads * group;
      segments.rows[i] = rows;
      segments.keyOffset[i] = key;
      segments.keys[i] = keys;
      segments.causal[i] = causal ? 1 : 0;
      key += keys;
    }
    row += rows;
  });
  const shapes = parts.flatMap((part) =>
    Array.from({ length: kvHeads }, () => ({ ...part, heads: group })),
  );
  Object.freeze(segments);
  return {
    name: parts
      .map(({ rows, keys, causal }) => `${rows}×${keys}${causal ? "" : " full"}`)
      .join(" "),
    segments,
    variants: [segments],
    shapes,
    queries: row * kvHeads * group,
    keys: key,
  };
}
