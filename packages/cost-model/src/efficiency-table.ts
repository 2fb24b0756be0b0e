import { expected, LibraError, requireNumber } from "@libra/base";

/** Share of a device's peak that a kernel reaches over full rectangles of rows × keys. */
export interface EfficiencyTable {
  /** Query rows, ascending; one entry: independent of rows. */
  readonly rows: readonly number[];
  /** Key rows, ascending; one entry: independent of keys. */
  readonly keys: readonly number[];
  /** `shares[row index][key index]`, each in (0, 1]. */
  readonly shares: readonly (readonly number[])[];
}

/**
 * The table's share at (rows, keys): bilinear in (log rows, log keys) of the logarithm, so that
 * power laws are met exactly; outside the table its nearest edge.
 */
export function interpolateEfficiency(table: EfficiencyTable, rows: number, keys: number): number {
  const [row, rowShare] = place(table.rows, rows);
  const [key, keyShare] = place(table.keys, keys);
  const along = (shares: readonly number[]) => mix(shares[key]!, shares[key + 1], keyShare);
  const next = table.shares[row + 1];
  return mix(along(table.shares[row]!), next && along(next), rowShare);
}

// Index of the entry at or below a value, and how far the value lies towards the next entry.
function place(axis: readonly number[], value: number): [index: number, share: number] {
  if (value <= axis[0]!) return [0, 0];
  for (let i = 0; i + 1 < axis.length; i++) {
    if (value < axis[i + 1]!)
      return [i, Math.log(value / axis[i]!) / Math.log(axis[i + 1]! / axis[i]!)];
  }
  return [axis.length - 1, 0];
}

function mix(low: number, high: number | undefined, share: number): number {
  if (share === 0 || high === undefined) return low;
  return Math.exp((1 - share) * Math.log(low) + share * Math.log(high));
}

/**
 * Checks a table.
 *
 * @returns the table
 * @throws LibraError `ARGUMENT` for shapes that do not match, axes that do not ascend, or shares
 *   outside (0, 1]
 */
export function requireEfficiencyTable(table: EfficiencyTable, name: string): EfficiencyTable {
  requireAxis(table.rows, `${name}.rows`);
  requireAxis(table.keys, `${name}.keys`);
  if (table.shares.length !== table.rows.length) {
    throw mismatch(`${name}.shares`, table.rows.length, table.shares.length);
  }
  table.shares.forEach((shares, i) => {
    if (shares.length !== table.keys.length) {
      throw mismatch(`${name}.shares[${i}]`, table.keys.length, shares.length);
    }
    shares.forEach((share, j) => {
      requireNumber(share, `${name}.shares[${i}][${j}]`, Number.MIN_VALUE, 1);
    });
  });
  return table;
}

function requireAxis(axis: readonly number[], name: string): void {
  if (axis.length === 0) throw expected("at least one length", name, axis);
  axis.forEach((length, i) => {
    requireNumber(length, `${name}[${i}]`, i === 0 ? 1 : axis[i - 1]! + 1);
  });
}

function mismatch(name: string, wanted: number, received: number): LibraError {
  return new LibraError(
    "ARGUMENT",
    `Expected ${wanted} entries for ${name} but received ${received}`,
  );
}
