/**
 * What a rank's time goes to. The first two keep the device's compute units busy; the others keep
 * one direction of one link busy, or wait inside a collective.
 */
export const kinds = Object.freeze([
  "attention",
  "linear",
  "copy",
  "nodeOut",
  "nodeIn",
  "networkOut",
  "networkIn",
  "tensor",
  "experts",
  "gather",
  "pipeline",
  "reduction",
  "optimizer",
] as const);

/** One of {@link kinds}. */
export type Kind = (typeof kinds)[number];

/** Index of each kind in an account's columns. */
const kindIndex = Object.freeze(Object.fromEntries(kinds.map((kind, i) => [kind, i]))) as Readonly<
  Record<Kind, number>
>;

/** Ticks by kind and place: `[kind · places + place]`. */
export class Account {
  readonly ticks: Float64Array;

  constructor(readonly places: number) {
    this.ticks = new Float64Array(kinds.length * places);
  }

  /** Adds ticks of an operation at a place. */
  add(kind: Kind, place: number, ticks: number): void {
    this.ticks[kindIndex[kind] * this.places + place]! += ticks;
  }

  /** Ticks of one kind at a place. */
  get(kind: Kind, place: number): number {
    return this.ticks[kindIndex[kind] * this.places + place]!;
  }

  /** Ticks in which the device of a place computes. */
  computing(place: number): number {
    return this.get("attention", place) + this.get("linear", place) + this.get("optimizer", place);
  }

  /** Ticks of a place over all kinds: the sum of its operations. */
  total(place: number): number {
    let sum = 0;
    for (let k = 0; k < kinds.length; k++) sum += this.ticks[k * this.places + place]!;
    return sum;
  }

  /** Sets all ticks to 0. */
  clear(): void {
    this.ticks.fill(0);
  }
}
