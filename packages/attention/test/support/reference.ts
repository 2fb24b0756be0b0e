// Attention in float64, written for clarity: the oracle of this package's tests.
// Layout everywhere: flat row-major [row][head][dim]. Documents lie one after another.

/** What one reference call computes. Lengths are rows per document. */
export interface ReferenceShape {
  readonly queryLengths: readonly number[];
  /** Keys per document; the query lengths when left out. */
  readonly keyLengths?: readonly number[];
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly scale: number;
  /** Whether row `row` of a document sees its key `key`; causal, aligned bottom-right, when left out. */
  readonly visible?: (row: number, key: number, document: number) => boolean;
}

export interface ReferenceInputs {
  readonly q: Float64Array;
  readonly k: Float64Array;
  readonly v: Float64Array;
}

export interface ReferenceResult {
  readonly out: Float64Array;
  readonly logSumExp: Float64Array;
}

export interface ReferenceGradients {
  readonly dq: Float64Array;
  readonly dk: Float64Array;
  readonly dv: Float64Array;
}

type Visit = (
  row: number,
  head: number,
  queryVector: number,
  keyVectors: readonly number[],
  weights: Float64Array,
  logSumExp: number,
) => void;

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

function dot(
  a: Float64Array,
  aOffset: number,
  b: Float64Array,
  bOffset: number,
  size: number,
): number {
  let total = 0;
  for (let i = 0; i < size; i += 1) total += a[aOffset + i]! * b[bOffset + i]!;
  return total;
}

/** Calls `visit` for every (row, head) with the key vectors it sees and their softmax weights. */
function eachQuery(shape: ReferenceShape, { q, k }: ReferenceInputs, visit: Visit): void {
  const { queryHeads, kvHeads, headDim, scale } = shape;
  const group = queryHeads / kvHeads;
  let queryStart = 0;
  let keyStart = 0;
  for (const [document, rows] of shape.queryLengths.entries()) {
    const keys = shape.keyLengths?.[document] ?? rows;
    const visible = shape.visible ?? ((row: number, key: number) => key <= keys - rows + row);
    for (let row = 0; row < rows; row += 1) {
      for (let head = 0; head < queryHeads; head += 1) {
        const queryVector = (queryStart + row) * queryHeads + head;
        const keyVectors: number[] = [];
        for (let key = 0; key < keys; key += 1) {
          if (visible(row, key, document)) {
            keyVectors.push((keyStart + key) * kvHeads + Math.floor(head / group));
          }
        }
        const scores = Float64Array.from(
          keyVectors,
          (vector) => scale * dot(q, queryVector * headDim, k, vector * headDim, headDim),
        );
        const maximum = scores.reduce((a, b) => Math.max(a, b), -Infinity);
        const weights = scores.map((score) => Math.exp(score - maximum));
        const total = weights.reduce((a, b) => a + b, 0);
        const logSumExp = keyVectors.length === 0 ? -Infinity : maximum + Math.log(total);
        visit(
          row,
          head,
          queryVector,
          keyVectors,
          weights.map((w) => w / total),
          logSumExp,
        );
      }
    }
    queryStart += rows;
    keyStart += keys;
  }
}

/** out `[rows][queryHeads][valueDim]` and the natural log-sum-exp `[rows][queryHeads]`. */
export function referenceForward(shape: ReferenceShape, inputs: ReferenceInputs): ReferenceResult {
  const { queryHeads, valueDim } = shape;
  const rows = sum(shape.queryLengths);
  const out = new Float64Array(rows * queryHeads * valueDim);
  const logSumExp = new Float64Array(rows * queryHeads);
  eachQuery(shape, inputs, (_row, _head, query, keys, weights, lse) => {
    logSumExp[query] = lse;
    for (const [i, key] of keys.entries()) {
      for (let d = 0; d < valueDim; d += 1) {
        out[query * valueDim + d]! += weights[i]! * inputs.v[key * valueDim + d]!;
      }
    }
  });
  return { out, logSumExp };
}

/** Gradients of Σ out·dOut for the three inputs, in their layouts. */
export function referenceBackward(
  shape: ReferenceShape,
  inputs: ReferenceInputs,
  dOut: Float64Array,
): ReferenceGradients {
  const { headDim, valueDim, scale } = shape;
  const { out } = referenceForward(shape, inputs);
  const dq = new Float64Array(inputs.q.length);
  const dk = new Float64Array(inputs.k.length);
  const dv = new Float64Array(inputs.v.length);
  eachQuery(shape, inputs, (_row, _head, query, keys, weights) => {
    const delta = dot(out, query * valueDim, dOut, query * valueDim, valueDim);
    for (const [i, key] of keys.entries()) {
      const weight = weights[i]!;
      for (let d = 0; d < valueDim; d += 1) {
        dv[key * valueDim + d]! += weight * dOut[query * valueDim + d]!;
      }
      const dWeight = dot(dOut, query * valueDim, inputs.v, key * valueDim, valueDim);
      const dScore = weight * (dWeight - delta) * scale;
      for (let d = 0; d < headDim; d += 1) {
        dq[query * headDim + d]! += dScore * inputs.k[key * headDim + d]!;
        dk[key * headDim + d]! += dScore * inputs.q[query * headDim + d]!;
      }
    }
  });
  return { dq, dk, dv };
}
