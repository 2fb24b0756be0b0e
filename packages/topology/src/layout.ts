import { LibraError, requireInteger } from "@libra/base";

/** Sizes of the parallel axes; `world = tp × cp × dp × pp`. Frozen. */
export interface Layout {
  readonly world: number;
  /** Tensor parallelism: ranks that split the heads and widths of a layer. */
  readonly tp: number;
  /** Context parallelism: ranks that share one packed sequence. */
  readonly cp: number;
  /** Data parallelism: replicas. */
  readonly dp: number;
  /** Pipeline parallelism: stages. */
  readonly pp: number;
}

/** Position of a rank on each axis. */
export interface Coordinates {
  tp: number;
  cp: number;
  dp: number;
  pp: number;
}

/** Sizes for {@link createLayout}; what is left out is derived or 1. */
export interface LayoutOptions {
  /** Ranks in all. */
  world: number;
  /** Default 1. */
  tp?: number;
  /** Default 1. */
  cp?: number;
  /** Default 1. */
  pp?: number;
  /** Default: what is left, `world / (tp × cp × pp)`. */
  dp?: number;
}

/**
 * The parallel layout of a world.
 *
 * @returns frozen sizes
 * @throws LibraError `LAYOUT` that shows the equation and the valid values when the axes do not
 *   multiply to the world; `ARGUMENT` for a size that is not a positive integer
 */
export function createLayout(options: LayoutOptions): Layout {
  const world = requireInteger(options.world, "world", 1);
  const tp = requireInteger(options.tp ?? 1, "tp", 1);
  const cp = requireInteger(options.cp ?? 1, "cp", 1);
  const pp = requireInteger(options.pp ?? 1, "pp", 1);
  const product = tp * cp * pp;
  const dp = requireInteger(options.dp ?? Math.max(1, Math.floor(world / product)), "dp", 1);
  if (product * dp === world) return Object.freeze({ world, tp, cp, dp, pp });

  const sizes = options.dp === undefined ? { tp, cp, pp } : { tp, cp, pp, dp };
  const valid: Record<string, number[]> = {};
  for (const axis of Object.keys(sizes) as (keyof typeof sizes)[]) {
    const others = (product * (options.dp ?? 1)) / sizes[axis]!;
    if (world % others !== 0) continue;
    valid[axis] = options.dp === undefined ? divisors(world / others) : [world / others];
  }
  const equation =
    options.dp === undefined
      ? `tp ${tp} × cp ${cp} × pp ${pp} = ${product} does not divide the world of ${world}`
      : `tp ${tp} × cp ${cp} × dp ${dp} × pp ${pp} = ${product * dp}, not the world of ${world}`;
  const hints = Object.entries(valid).map(([axis, values]) => `${axis} ${values.join(", ")}`);
  const advice =
    hints.length > 0
      ? `valid with the other sizes kept: ${hints.join("; ")}`
      : `the product of the sizes must divide ${world}: ${divisors(world).join(", ")}`;
  throw new LibraError("LAYOUT", `${equation}; ${advice}`, { details: { world, ...sizes, valid } });
}

/** All divisors, ascending. */
export function divisors(value: number): number[] {
  const low: number[] = [];
  const high: number[] = [];
  for (let divisor = 1; divisor * divisor <= value; divisor++) {
    if (value % divisor !== 0) continue;
    low.push(divisor);
    if (divisor * divisor < value) high.unshift(value / divisor);
  }
  return [...low, ...high];
}

/**
 * Global rank of a position, in Megatron's order tp-cp-dp-pp (tp fastest).
 *
 * @throws LibraError `ARGUMENT` outside the layout
 */
export function rankOf(layout: Layout, coordinates: Coordinates): number {
  const tp = requireInteger(coordinates.tp, "tp index", 0, layout.tp - 1);
  const cp = requireInteger(coordinates.cp, "cp index", 0, layout.cp - 1);
  const dp = requireInteger(coordinates.dp, "dp index", 0, layout.dp - 1);
  const pp = requireInteger(coordinates.pp, "pp index", 0, layout.pp - 1);
  return tp + layout.tp * (cp + layout.cp * (dp + layout.dp * pp));
}

/**
 * Position of a global rank; the inverse of {@link rankOf}.
 *
 * @throws LibraError `ARGUMENT` outside the world
 */
export function coordinatesOf(layout: Layout, rank: number): Coordinates {
  requireInteger(rank, "rank", 0, layout.world - 1);
  const overTp = Math.floor(rank / layout.tp);
  const overCp = Math.floor(overTp / layout.cp);
  return {
    tp: rank % layout.tp,
    cp: overTp % layout.cp,
    dp: overCp % layout.dp,
    pp: Math.floor(overCp / layout.dp),
  };
}
