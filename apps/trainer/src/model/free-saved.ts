import { Tensor } from "@libra/runtime";

/**
 * Frees every tensor inside arrays and plain objects, such as what a forward pass saved; operations
 * already enqueued still have it. A tensor met twice is freed once.
 */
export function freeSaved(value: unknown): void {
  if (value instanceof Tensor) value.free();
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) freeSaved(part);
  }
}
