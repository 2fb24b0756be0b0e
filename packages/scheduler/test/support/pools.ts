import { calibratedCost, type PlanningCost, pairsCost } from "@libra/cost-model";
import { contiguousRows, customRows, type OwnedRows, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import type { PoolInput } from "../../src/index.js";

/** cuSeqlens of document lengths. */
export function borders(lengths: readonly number[]): Int32Array {
  const cuSeqlens = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => {
    cuSeqlens[i + 1] = cuSeqlens[i]! + length;
  });
  return cuSeqlens;
}

const coefficients = { launch: 0, pairs: 1e-3, rows: 0.2, keys: 0, segment: 5 };

/** A planning cost with a charge per document; coarse enough that small blocks cost nothing. */
function coarseCost(quantum: number, rowBlock: number): PlanningCost {
  return calibratedCost({ forward: coefficients, backward: coefficients }, quantum, rowBlock);
}

/** A pool with contiguous owned rows. */
export function poolOf(
  documents: readonly (readonly number[])[],
  cp: number,
  queryHeads: number,
  kvHeads: number,
  rowBlock = 4,
): PoolInput {
  const sequences = documents.map(borders);
  return {
    sequences,
    heads: { queryHeads, kvHeads, headDim: 4, valueDim: 4 },
    owned: sequences.map((cu) => contiguousRows(cu[cu.length - 1]!, cp)),
    cp,
    cost: pairsCost(rowBlock),
  };
}

// Every row goes to a random rank, in runs.
function scattered(rows: number, cp: number, seed: number): OwnedRows {
  let state = seed >>> 0;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const intervals: [number, number][][] = Array.from({ length: cp }, () => []);
  for (let row = 0; row < rows; ) {
    const end = Math.min(rows, row + 1 + random(9));
    intervals[random(cp)]!.push([row, end]);
    row = end;
  }
  return customRows(rows, intervals);
}

/** Any pool: shapes that do not divide each other, empty documents and sequences, any owned rows. */
export const anyPool: fc.Arbitrary<PoolInput> = fc
  .record({
    documents: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }) },
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: fc.integer({ min: 60, max: 200 }).map((giant) => [giant]) },
      ),
      { minLength: 1, maxLength: 5 },
    ),
    cp: fc.integer({ min: 1, max: 6 }),
    kvHeads: fc.integer({ min: 1, max: 4 }),
    group: fc.integer({ min: 1, max: 4 }),
    rowBlock: fc.constantFrom(1, 2, 4, 7, 16),
    owned: fc.constantFrom("contiguous", "zigzag", "scattered"),
    seed: fc.nat(),
    quantum: fc.constantFrom(0, 0, 0, 0.05, 3),
    relative: fc.boolean(),
    ranksPerNode: fc.integer({ min: 1, max: 5 }),
    spread: fc.integer({ min: 1, max: 2 }),
  })
  .map(
    ({
      documents,
      cp,
      kvHeads,
      group,
      rowBlock,
      owned,
      seed,
      quantum,
      relative,
      ranksPerNode,
      spread,
    }) => {
      const pool = poolOf(documents, cp, kvHeads * group, kvHeads, rowBlock);
      const ownedRows = pool.sequences.map((cu, s) => {
        const rows = cu[cu.length - 1]!;
        if (owned === "zigzag") return zigzagRows(cu, cp);
        return owned === "contiguous" ? contiguousRows(rows, cp) : scattered(rows, cp, seed + s);
      });
      const workers = documents.length * cp;
      const placed = {
        ...pool,
        cost: quantum === 0 ? pool.cost : coarseCost(quantum, rowBlock),
        owned: ownedRows,
        nodes: { ranksPerNode, nodesPerRack: 2 },
        ranks: Array.from({ length: workers }, (_, w) => 3 + spread * w),
      };
      if (!relative) return placed;
      return {
        ...placed,
        speed: Float64Array.from({ length: workers }, (_, w) => 1 + ((seed + 7 * w) % 5) / 4),
        base: Float64Array.from({ length: workers }, (_, w) => (seed + 3 * w) % 400),
      };
    },
  );
