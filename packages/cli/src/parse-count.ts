import { InvalidArgumentError } from "commander";

const units: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** "131072", "128K" or "1M" (powers of two, as windows are named) as a number. */
export function parseCount(text: string): number {
  const match = /^(\d+)([kmg]?)$/i.exec(text);
  const value = match === null ? Number.NaN : Number(match[1]) * units[match[2]!.toLowerCase()]!;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("Expected a number such as 4096, 128K or 1M.");
}
