import { expected } from "@libra/base";

/** Number of elements of a shape. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const extent of shape) size *= extent;
  return size;
}

/** `[3, 4]` */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

/**
 * A frozen copy of a shape.
 *
 * @throws ARGUMENT unless it is an array of integers of at least 0 with fewer than 2^53 elements
 */
export function requireShape(value: unknown, name: string): readonly number[] {
  const whole = Array.isArray(value) && value.every((extent) => Number.isInteger(extent));
  if (!whole || value.some((extent) => extent < 0)) {
    throw expected("a list of integers of at least 0", name, value);
  }
  const shape: number[] = [...value];
  if (!Number.isSafeInteger(sizeOf(shape))) {
    throw expected("fewer than 2^53 elements", name, value);
  }
  return Object.freeze(shape);
}
