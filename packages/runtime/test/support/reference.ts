// Slow, plain float64 versions of the operators: one loop each, for small tensors.

/** x [T, K] · weight [N, K]ᵀ */
export function linear(x: readonly number[], weight: readonly number[], k: number): number[] {
  const out: number[] = [];
  for (let t = 0; t < x.length; t += k) {
    for (let n = 0; n < weight.length; n += k) {
      let sum = 0;
      for (let i = 0; i < k; i += 1) sum += x[t + i]! * weight[n + i]!;
      out.push(sum);
    }
  }
  return out;
}

export function rmsNorm(x: readonly number[], weight: readonly number[], eps: number): number[] {
  const width = weight.length;
  const out: number[] = [];
  for (let row = 0; row < x.length; row += width) {
    const values = x.slice(row, row + width);
    const mean = values.reduce((sum, value) => sum + value * value, 0) / width;
    const inverse = 1 / Math.sqrt(mean + eps);
    out.push(...values.map((value, i) => value * inverse * weight[i]!));
  }
  return out;
}

/** x [T, H, D] */
export function rope(
  x: readonly number[],
  positions: readonly number[],
  shape: { heads: number; headDim: number },
  theta: number,
): number[] {
  const { heads, headDim } = shape;
  const half = headDim / 2;
  const out = [...x];
  positions.forEach((position, t) => {
    for (let head = 0; head < heads; head += 1) {
      const base = (t * heads + head) * headDim;
      for (let i = 0; i < half; i += 1) {
        const angle = position * theta ** ((-2 * i) / headDim);
        const [a, b] = [x[base + i]!, x[base + half + i]!];
        out[base + i] = a * Math.cos(angle) - b * Math.sin(angle);
        out[base + half + i] = b * Math.cos(angle) + a * Math.sin(angle);
      }
    }
  });
  return out;
}

export function swiglu(gate: readonly number[], up: readonly number[]): number[] {
  return gate.map((value, i) => (value / (1 + Math.exp(-value))) * up[i]!);
}

/** Sum of the losses of rows whose target is not negative. */
export function crossEntropy(logits: readonly number[], targets: readonly number[]): number {
  const vocabulary = logits.length / targets.length;
  return targets.reduce((sum, target, t) => {
    if (target < 0) return sum;
    const row = logits.slice(t * vocabulary, (t + 1) * vocabulary);
    return sum + Math.log(row.reduce((total, value) => total + Math.exp(value), 0)) - row[target]!;
  }, 0);
}

/** One head: q [rows, D], k [keys, D], v [keys, Dv], causal bottom right. */
export function attention(
  q: readonly number[],
  k: readonly number[],
  v: readonly number[],
  shape: { headDim: number; valueDim: number; scale: number; causal: boolean },
): { out: number[]; logSumExp: number[] } {
  const { headDim, valueDim, scale, causal } = shape;
  const rows = q.length / headDim;
  const keys = k.length / headDim;
  const out: number[] = [];
  const logSumExp: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    const seen = causal ? Math.max(0, keys - rows + row + 1) : keys;
    const scores = Array.from({ length: seen }, (_, key) => {
      let sum = 0;
      for (let d = 0; d < headDim; d += 1) sum += q[row * headDim + d]! * k[key * headDim + d]!;
      return Math.exp(sum * scale);
    });
    const total = scores.reduce((sum, score) => sum + score, 0);
    logSumExp.push(Math.log(total));
    for (let d = 0; d < valueDim; d += 1) {
      const sum = scores.reduce((at, score, key) => at + score * v[key * valueDim + d]!, 0);
      out.push(seen === 0 ? 0 : sum / total);
    }
  }
  return { out, logSumExp };
}
