import type { Tensor } from "@libra/runtime";

/** What the model knows of attention: n rows of this rank, whatever runs behind. */
interface AttendInputs {
  /** [n, query heads, head dim] */
  readonly q: Tensor;
  /** [n, KV heads, head dim] */
  readonly k: Tensor;
  /** [n, KV heads, head dim] */
  readonly v: Tensor;
}

/** Gradients in the shapes of {@link AttendInputs}. */
interface AttendGradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}

/** Result of one attention, and its backward pass. */
export interface Attended {
  /** [n, query heads, head dim] */
  readonly out: Tensor;
  /** Everything that backward needs, to be freed after it. */
  readonly kept: readonly Tensor[];
  /** @param dOut - shape of `out` */
  backward(dOut: Tensor): AttendGradients;
}

/** Causal attention inside each document, of all rows that the ranks hold together. */
export type Attend = (inputs: AttendInputs) => Attended;
