import type { FixedPlacement } from "./types.js";

/** Slots take the sequences in the order in which they came: what an unbalanced run does. */
export function arrivalPlacement(): FixedPlacement {
  return Object.freeze({
    name: "arrival",
    changesStep: false,
    place: (weights: Float64Array) => arrivalSlots(weights.length),
  });
}

/** Slot i takes item i. */
export function arrivalSlots(count: number): Uint32Array {
  const slots = new Uint32Array(count);
  for (let i = 0; i < count; i++) slots[i] = i;
  return slots;
}
