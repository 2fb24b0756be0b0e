import type { Placement } from "./types.js";

/** Slots take the sequences in the order in which they came: what an unbalanced run does. */
export function arrivalPlacement(): Placement {
  return Object.freeze({
    name: "arrival",
    changesStep: false,
    place: (weights: Float64Array) => Uint32Array.from(weights.keys()),
  });
}
