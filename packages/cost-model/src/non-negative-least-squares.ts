import { expected, LibraError } from "@libra/base";

/** A non-negative solution and how far it is from the measurements. */
export interface NonNegativeSolution {
  readonly x: Float64Array;
  /** Euclidean norm of `A·x − b`. */
  readonly residual: number;
}

/**
 * Minimises `‖A·x − b‖` subject to `x ≥ 0`: the active-set method of Lawson and Hanson, "Solving
 * Least Squares Problems" (1974), chapter 23. Columns are scaled to unit length first, so columns of
 * very different units are safe; among dependent columns one is used and the others stay at 0.
 *
 * @param a - rows of the matrix, all of one length
 * @param b - one value per row
 * @throws LibraError `ARGUMENT` for shapes that do not match or values that are not finite
 */
export function nonNegativeLeastSquares(
  a: readonly (readonly number[])[],
  b: readonly number[],
): NonNegativeSolution {
  const columns = requireColumns(a, b);
  const scales = columns.map((column) => Math.sqrt(dot(column, column)));
  const unit = columns.map((column, j) => column.map((value) => value / (scales[j]! || 1)));
  const size = unit.length;
  const tolerance = 1e-11 * Math.sqrt(dot(b, b));
  const passive = new Set<number>();
  let x: Float64Array = new Float64Array(size);
  let refused = new Set<number>();
  for (let round = 0; round < 30 * (size + 1); round++) {
    const gradient = residualOf(unit, x, b);
    const entering = steepest(unit, gradient, passive, refused, tolerance);
    if (entering < 0)
      return { x: x.map((value, j) => value / (scales[j]! || 1)), residual: norm(gradient) };
    passive.add(entering);
    const first = solvePassive(unit, b, passive);
    // Rounding can make a column look useful that is not: it would cycle forever.
    if (first === undefined || first[entering]! <= 0) {
      passive.delete(entering);
      refused.add(entering);
      continue;
    }
    x = settle(unit, b, passive, x, first);
    refused = new Set();
  }
  throw new LibraError("INTERNAL", `Non-negative least squares of ${size} columns did not settle`);
}

// Walks from a feasible x towards the unconstrained solution z; a column that reaches 0 on the way
// leaves the passive set, and the walk goes on to the solution over the rest.
function settle(
  unit: readonly number[][],
  b: readonly number[],
  passive: Set<number>,
  from: Float64Array,
  solution: Float64Array,
): Float64Array {
  let x = from;
  let z = solution;
  for (;;) {
    let step = 1;
    let first = -1;
    for (const j of passive) {
      if (z[j]! > 0) continue;
      const reach = x[j]! / (x[j]! - z[j]!);
      if (first < 0 || reach < step) {
        step = reach;
        first = j;
      }
    }
    if (first < 0) return z;
    const target = z;
    x = x.map((value, j) => value + step * (target[j]! - value));
    for (const j of [...passive]) {
      if (j !== first && x[j]! > 0) continue;
      x[j] = 0;
      passive.delete(j);
    }
    const next = solvePassive(unit, b, passive);
    if (next === undefined) return x;
    z = next;
  }
}

function steepest(
  unit: readonly number[][],
  residual: readonly number[],
  passive: ReadonlySet<number>,
  refused: ReadonlySet<number>,
  tolerance: number,
): number {
  let best = -1;
  let most = tolerance;
  unit.forEach((column, j) => {
    const descent = dot(column, residual);
    if (!passive.has(j) && !refused.has(j) && descent > most) {
      best = j;
      most = descent;
    }
  });
  return best;
}

// Least squares over the passive columns by modified Gram–Schmidt, done twice for orthogonality;
// undefined when a column depends on the others.
function solvePassive(
  unit: readonly number[][],
  b: readonly number[],
  passive: ReadonlySet<number>,
): Float64Array | undefined {
  const chosen = [...passive].sort((i, j) => i - j);
  const basis: number[][] = [];
  const upper: number[][] = [];
  for (const j of chosen) {
    const vector = [...unit[j]!];
    const entries = basis.map(() => 0);
    for (let repeat = 0; repeat < 2; repeat++) {
      basis.forEach((direction, i) => {
        const part = dot(direction, vector);
        entries[i]! += part;
        for (let row = 0; row < vector.length; row++) vector[row]! -= part * direction[row]!;
      });
    }
    const length = norm(vector);
    if (length < 1e-10) return undefined;
    basis.push(vector.map((value) => value / length));
    upper.push([...entries, length]);
  }
  const x = new Float64Array(unit.length);
  const rest = [...b];
  const projections = basis.map((direction) => {
    const part = dot(direction, rest);
    for (let row = 0; row < rest.length; row++) rest[row]! -= part * direction[row]!;
    return part;
  });
  for (let i = chosen.length - 1; i >= 0; i--) {
    let value = projections[i]!;
    for (let k = i + 1; k < chosen.length; k++) value -= upper[k]![i]! * x[chosen[k]!]!;
    x[chosen[i]!] = value / upper[i]![i]!;
  }
  return x;
}

function residualOf(unit: readonly number[][], x: Float64Array, b: readonly number[]): number[] {
  return b.map((value, row) => {
    let predicted = 0;
    unit.forEach((column, j) => {
      predicted += column[row]! * x[j]!;
    });
    return value - predicted;
  });
}

function requireColumns(a: readonly (readonly number[])[], b: readonly number[]): number[][] {
  if (a.length !== b.length) throw expected(`${a.length} values`, "b", b);
  const size = a[0]?.length ?? 0;
  a.forEach((row, i) => {
    if (row.length !== size) throw expected(`${size} values`, `a[${i}]`, row);
    if (!row.every(Number.isFinite)) throw expected("finite numbers", `a[${i}]`, row);
  });
  if (!b.every(Number.isFinite)) throw expected("finite numbers", "b", b);
  return Array.from({ length: size }, (_, j) => a.map((row) => row[j]!));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function norm(vector: ArrayLike<number>): number {
  return Math.sqrt(dot(vector, vector));
}
