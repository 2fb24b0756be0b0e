/** A swap that lowers the larger of two bins' loads. */
export interface Swap {
  readonly partner: number;
  /** Positions inside the heavy bin and inside the partner, one or two each. */
  readonly give: readonly number[];
  readonly take: readonly number[];
  /** Weight that leaves the heavy bin on balance. */
  readonly moved: number;
  /** Larger load of the two bins afterwards. */
  readonly larger: number;
}

/** Comparisons that remain; shared by the searches of one refinement. */
export interface Meter {
  left: number;
}
