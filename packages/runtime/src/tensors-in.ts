import { Tensor } from "./tensor.js";

/** Tensors of a value: itself, or those inside arrays, maps and plain objects, however deep. */
export function tensorsIn(value: unknown, seen = new Set<object>()): Tensor[] {
  if (value instanceof Tensor) return [value];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  if (ArrayBuffer.isView(value)) return [];
  if (value instanceof Map) return tensorsIn([...value.values()], seen);
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.flatMap((part) => tensorsIn(part, seen));
}
