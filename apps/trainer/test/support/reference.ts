// Qwen3 in float64, one document at a time, written for clarity: what float32 runs are measured against.
import { layerName } from "../../src/model/parameter-shapes.js";
import type { ModelSizes } from "../../src/model/sizes.js";

export type Weights = ReadonlyMap<string, ArrayLike<number>>;

export interface ReferenceResult {
  lossSum: number;
  targets: number;
  /** Gradient of lossSum · scale by parameter name. */
  gradients: Map<string, Float64Array>;
  /** One [length, vocabulary] per document. */
  logits: Float64Array[];
}

type Matrix = Float64Array;

export function reference(
  sizes: ModelSizes,
  weights: Weights,
  documents: readonly ArrayLike<number>[],
  scale: number,
): ReferenceResult {
  const gradients = new Map<string, Float64Array>();
  for (const [name, values] of weights) gradients.set(name, new Float64Array(values.length));
  const result: ReferenceResult = { lossSum: 0, targets: 0, gradients, logits: [] };
  for (const ids of documents) {
    if (ids.length > 0) runDocument(sizes, weights, ids, scale, result);
  }
  return result;
}

function runDocument(
  sizes: ModelSizes,
  weights: Weights,
  ids: ArrayLike<number>,
  scale: number,
  result: ReferenceResult,
): void {
  const { hidden, vocabulary, headDim, queryHeads, kvHeads, intermediate } = sizes;
  const rows = ids.length;
  const weight = (name: string) => weights.get(name)!;
  const gradient = (name: string) => result.gradients.get(name)!;
  const linear = (x: Matrix, name: string, inputs: number, outputs: number) => ({
    out: product(x, weight(name), rows, inputs, outputs),
    backward: (dOut: Matrix) => {
      addWeightGradient(gradient(name), dOut, x, rows, inputs, outputs);
      return productBack(dOut, weight(name), rows, inputs, outputs);
    },
  });
  const norm = (x: Matrix, name: string, width: number) =>
    rmsNorm(x, weight(name), gradient(name), width, sizes.normEpsilon);

  const embeddingName = "model.embed_tokens.weight";
  const table = weight(embeddingName);
  let x: Matrix = new Float64Array(rows * hidden);
  for (let t = 0; t < rows; t++) {
    for (let i = 0; i < hidden; i++) x[t * hidden + i] = table[ids[t]! * hidden + i]!;
  }
  const backwards: ((dx: Matrix) => Matrix)[] = [];
  for (let layer = 0; layer < sizes.layers; layer++) {
    const name = (part: string) => layerName(layer, part);
    const n1 = norm(x, name("input_layernorm"), hidden);
    const q = linear(n1.out, name("self_attn.q_proj"), hidden, queryHeads * headDim);
    const k = linear(n1.out, name("self_attn.k_proj"), hidden, kvHeads * headDim);
    const v = linear(n1.out, name("self_attn.v_proj"), hidden, kvHeads * headDim);
    const qn = norm(q.out, name("self_attn.q_norm"), headDim);
    const kn = norm(k.out, name("self_attn.k_norm"), headDim);
    const qr = rotate(qn.out, rows, queryHeads, headDim, sizes.ropeTheta, 1);
    const kr = rotate(kn.out, rows, kvHeads, headDim, sizes.ropeTheta, 1);
    const a = attention(qr, kr, v.out, rows, queryHeads, kvHeads, headDim);
    const o = linear(a.out, name("self_attn.o_proj"), queryHeads * headDim, hidden);
    const x2 = add(x, o.out);
    const n2 = norm(x2, name("post_attention_layernorm"), hidden);
    const gate = linear(n2.out, name("mlp.gate_proj"), hidden, intermediate);
    const up = linear(n2.out, name("mlp.up_proj"), hidden, intermediate);
    const act = swiglu(gate.out, up.out);
    const down = linear(act.out, name("mlp.down_proj"), intermediate, hidden);
    x = add(x2, down.out);
    backwards.push((dx) => {
      const { dGate, dUp } = act.backward(down.backward(dx));
      const dx2 = add(dx, n2.backward(add(gate.backward(dGate), up.backward(dUp))));
      const { dq, dk, dv } = a.backward(o.backward(dx2));
      const dqn = rotate(dq, rows, queryHeads, headDim, sizes.ropeTheta, -1);
      const dkn = rotate(dk, rows, kvHeads, headDim, sizes.ropeTheta, -1);
      const dn1 = add(
        add(q.backward(qn.backward(dqn)), k.backward(kn.backward(dkn))),
        v.backward(dv),
      );
      return add(dx2, n1.backward(dn1));
    });
  }
  const last = norm(x, "model.norm.weight", hidden);
  const headName = sizes.tieWordEmbeddings ? embeddingName : "lm_head.weight";
  const head = linear(last.out, headName, hidden, vocabulary);
  const dLogits = new Float64Array(rows * vocabulary);
  for (let t = 0; t + 1 < rows; t++) {
    const row = head.out.subarray(t * vocabulary, (t + 1) * vocabulary);
    const top = row.reduce((a, b) => Math.max(a, b));
    const logSum = top + Math.log(row.reduce((sum, value) => sum + Math.exp(value - top), 0));
    result.lossSum += logSum - row[ids[t + 1]!]!;
    result.targets += 1;
    for (let i = 0; i < vocabulary; i++) {
      const target = i === ids[t + 1] ? 1 : 0;
      dLogits[t * vocabulary + i] = scale * (Math.exp(row[i]! - logSum) - target);
    }
  }
  result.logits.push(head.out);
  let dx = last.backward(head.backward(dLogits));
  for (const backward of backwards.reverse()) dx = backward(dx);
  const dTable = gradient(embeddingName);
  for (let t = 0; t < rows; t++) {
    for (let i = 0; i < hidden; i++) dTable[ids[t]! * hidden + i]! += dx[t * hidden + i]!;
  }
}

function add(a: Matrix, b: Matrix): Matrix {
  return a.map((value, i) => value + b[i]!);
}

function product(x: Matrix, w: ArrayLike<number>, rows: number, inputs: number, outputs: number) {
  const out = new Float64Array(rows * outputs);
  for (let t = 0; t < rows; t++) {
    for (let n = 0; n < outputs; n++) {
      let sum = 0;
      for (let k = 0; k < inputs; k++) sum += x[t * inputs + k]! * w[n * inputs + k]!;
      out[t * outputs + n] = sum;
    }
  }
  return out;
}

function productBack(
  d: Matrix,
  w: ArrayLike<number>,
  rows: number,
  inputs: number,
  outputs: number,
) {
  const dx = new Float64Array(rows * inputs);
  for (let t = 0; t < rows; t++) {
    for (let n = 0; n < outputs; n++) {
      const value = d[t * outputs + n]!;
      for (let k = 0; k < inputs; k++) dx[t * inputs + k]! += value * w[n * inputs + k]!;
    }
  }
  return dx;
}

function addWeightGradient(
  dw: Matrix,
  d: Matrix,
  x: Matrix,
  rows: number,
  inputs: number,
  outputs: number,
): void {
  for (let t = 0; t < rows; t++) {
    for (let n = 0; n < outputs; n++) {
      const value = d[t * outputs + n]!;
      for (let k = 0; k < inputs; k++) dw[n * inputs + k]! += value * x[t * inputs + k]!;
    }
  }
}

function rmsNorm(x: Matrix, w: ArrayLike<number>, dw: Matrix, width: number, epsilon: number) {
  const rows = x.length / width;
  const out = new Float64Array(x.length);
  const inverse = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += x[r * width + i]! ** 2;
    inverse[r] = 1 / Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) out[r * width + i] = x[r * width + i]! * inverse[r]! * w[i]!;
  }
  const backward = (d: Matrix): Matrix => {
    const dx = new Float64Array(x.length);
    for (let r = 0; r < rows; r++) {
      let dot = 0;
      for (let i = 0; i < width; i++) {
        const normed = x[r * width + i]! * inverse[r]!;
        dw[i]! += d[r * width + i]! * normed;
        dot += d[r * width + i]! * w[i]! * normed;
      }
      for (let i = 0; i < width; i++) {
        const normed = x[r * width + i]! * inverse[r]!;
        dx[r * width + i] = inverse[r]! * (d[r * width + i]! * w[i]! - (normed * dot) / width);
      }
    }
    return dx;
  };
  return { out, backward };
}

function rotate(
  x: Matrix,
  rows: number,
  heads: number,
  width: number,
  theta: number,
  direction: 1 | -1,
): Matrix {
  const out = new Float64Array(x.length);
  const half = width / 2;
  for (let t = 0; t < rows; t++) {
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < half; i++) {
        const angle = direction * t * theta ** (-i / half);
        const at = (t * heads + h) * width + i;
        out[at] = x[at]! * Math.cos(angle) - x[at + half]! * Math.sin(angle);
        out[at + half] = x[at + half]! * Math.cos(angle) + x[at]! * Math.sin(angle);
      }
    }
  }
  return out;
}

function swiglu(gate: Matrix, up: Matrix) {
  const sigmoid = gate.map((value) => 1 / (1 + Math.exp(-value)));
  const out = gate.map((value, i) => value * sigmoid[i]! * up[i]!);
  const backward = (d: Matrix) => ({
    dUp: d.map((value, i) => value * gate[i]! * sigmoid[i]!),
    dGate: d.map((value, i) => value * up[i]! * sigmoid[i]! * (1 + gate[i]! * (1 - sigmoid[i]!))),
  });
  return { out, backward };
}

function attention(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  rows: number,
  queryHeads: number,
  kvHeads: number,
  width: number,
) {
  const scale = 1 / Math.sqrt(width);
  const group = queryHeads / kvHeads;
  const out = new Float64Array(q.length);
  const probabilities: Float64Array[] = [];
  const at = (t: number, heads: number, h: number) => (t * heads + h) * width;
  for (let t = 0; t < rows; t++) {
    for (let h = 0; h < queryHeads; h++) {
      const kv = Math.floor(h / group);
      const scores = new Float64Array(t + 1);
      for (let s = 0; s <= t; s++) {
        let dot = 0;
        for (let i = 0; i < width; i++)
          dot += q[at(t, queryHeads, h) + i]! * k[at(s, kvHeads, kv) + i]!;
        scores[s] = dot * scale;
      }
      const top = scores.reduce((a, b) => Math.max(a, b));
      const weights = scores.map((score) => Math.exp(score - top));
      const total = weights.reduce((a, b) => a + b);
      const p = weights.map((value) => value / total);
      probabilities.push(p);
      for (let s = 0; s <= t; s++) {
        for (let i = 0; i < width; i++)
          out[at(t, queryHeads, h) + i]! += p[s]! * v[at(s, kvHeads, kv) + i]!;
      }
    }
  }
  const backward = (d: Matrix) => {
    const dq = new Float64Array(q.length);
    const dk = new Float64Array(k.length);
    const dv = new Float64Array(v.length);
    for (let t = 0; t < rows; t++) {
      for (let h = 0; h < queryHeads; h++) {
        const kv = Math.floor(h / group);
        const p = probabilities[t * queryHeads + h]!;
        const qAt = at(t, queryHeads, h);
        const dp = new Float64Array(t + 1);
        let mean = 0;
        for (let s = 0; s <= t; s++) {
          const kAt = at(s, kvHeads, kv);
          for (let i = 0; i < width; i++) {
            dp[s]! += d[qAt + i]! * v[kAt + i]!;
            dv[kAt + i]! += p[s]! * d[qAt + i]!;
          }
          mean += p[s]! * dp[s]!;
        }
        for (let s = 0; s <= t; s++) {
          const ds = p[s]! * (dp[s]! - mean) * scale;
          const kAt = at(s, kvHeads, kv);
          for (let i = 0; i < width; i++) {
            dq[qAt + i]! += ds * k[kAt + i]!;
            dk[kAt + i]! += ds * q[qAt + i]!;
          }
        }
      }
    }
    return { dq, dk, dv };
  };
  return { out, backward };
}
