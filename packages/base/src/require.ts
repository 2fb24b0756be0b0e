import { expected } from "./error.js";
import { nearest } from "./nearest.js";

/**
 * Checks an integer argument.
 *
 * @param min - least valid value, inclusive; default: the least safe integer
 * @param max - greatest valid value, inclusive; default: the greatest safe integer
 * @returns the value
 * @throws LibraError `ARGUMENT`: "Expected a positive integer for NAME but received Y"
 */
export function requireInteger(
  value: unknown,
  name: string,
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw expected(integerRange(min, max), name, value);
}

function integerRange(min: number, max: number): string {
  const openBelow = min === Number.MIN_SAFE_INTEGER;
  const openAbove = max === Number.MAX_SAFE_INTEGER;
  if (!openBelow && !openAbove) return `an integer from ${min} to ${max}`;
  if (!openAbove) return `an integer of at most ${max}`;
  if (openBelow) return "an integer";
  if (min === 0) return "a non-negative integer";
  return min === 1 ? "a positive integer" : `an integer of at least ${min}`;
}

/**
 * Checks a finite number argument.
 *
 * @param min - least valid value, inclusive; default −∞
 * @param max - greatest valid value, inclusive; default +∞
 * @returns the value
 * @throws LibraError `ARGUMENT`
 */
export function requireNumber(
  value: unknown,
  name: string,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= min && value <= max) {
    return value;
  }
  throw expected(numberRange(min, max), name, value);
}

function numberRange(min: number, max: number): string {
  const openAbove = max === Number.POSITIVE_INFINITY;
  if (min === Number.NEGATIVE_INFINITY) {
    return openAbove ? "a finite number" : `a finite number of at most ${max}`;
  }
  if (!openAbove) return `a number from ${min} to ${max}`;
  return min === 0 ? "a finite non-negative number" : `a finite number of at least ${min}`;
}

/**
 * Checks a word out of a list.
 *
 * @returns the value
 * @throws LibraError `ARGUMENT` that lists the valid words and the nearest one
 */
export function requireOneOf<const Word extends string>(
  value: unknown,
  name: string,
  valid: readonly Word[],
): Word {
  const index = valid.indexOf(value as Word);
  if (index >= 0) return valid[index]!;
  const error = expected(`one of ${valid.join(", ")}`, name, value);
  const close = typeof value === "string" ? nearest(value, valid) : [];
  if (close.length > 0) error.message += `; did you mean ${close.join(" or ")}?`;
  throw error;
}

/**
 * Checks an array or a typed array of numbers.
 *
 * @param length - exact length; default: any
 * @returns the value
 * @throws LibraError `ARGUMENT`
 */
export function requireArray<Value>(
  value: ArrayLike<Value>,
  name: string,
  length?: number,
): ArrayLike<Value> {
  const isList =
    Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (!isList) throw expected("an array", name, value);
  if (length !== undefined && value.length !== length) {
    throw expected(`an array of length ${length}`, name, `length ${value.length}`);
  }
  return value;
}
