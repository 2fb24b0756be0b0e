import { expected, LibraError, requireInteger } from "@libra/base";
import type { Communicator, FloatType, Rank, Stream, Tensor } from "@libra/runtime";
import type { TilePlan } from "@libra/scheduler";
import { enqueueBackward } from "./backward.js";
import { checkOnly, checkPlan, checkTensor, requireScale, shapesOf } from "./check.js";
import { requireFloatType } from "./dtypes.js";
import { enqueueForward } from "./forward.js";
import type { Gradients, KeptTiles, PassContext } from "./pass.js";
import { type PreparedPlan, preparePlan } from "./prepared-plan.js";
import { type AttentionStats, addCall, type CallCounts, noCalls } from "./stats.js";

/** What {@link createAttention} binds an operator to. */
export interface AttentionOptions {
  /** This rank, from `launchLocal`. */
  readonly rank: Rank;
  /** The ranks that share attention work; this rank's place in it is the plan's worker. */
  readonly pool: Communicator;
  readonly plan: TilePlan;
  readonly worker: number;
  /** Factor of the scores; 1/√headDim by default. */
  readonly scale?: number;
  /** Keeps Q, K and V on the workers from forward to backward instead of sending them again. */
  readonly keepTiles?: boolean;
  /**
   * 2 sends what a node needs of a rank in another node once, and sums dK and dV inside the node
   * before they return; for plans made with `nodes`. 1 by default. Equal on all ranks.
   */
  readonly hops?: 1 | 2;
  /**
   * Type of q, k, v, out, dOut and the gradients; "float32" by default. Log-sum-exp and every sum are
   * float32 in both.
   */
  readonly dtype?: FloatType;
  /** Shown by `stats()`; "attention" by default. */
  readonly name?: string;
}

/** Inputs of one forward call, of the operator's dtype; `n` is the number of rows this rank owns, in the order it owns them. */
export interface AttentionInputs {
  /** `[n, queryHeads, headDim]` */
  readonly q: Tensor;
  /** `[n, kvHeads, headDim]` */
  readonly k: Tensor;
  /** `[n, kvHeads, valueDim]` */
  readonly v: Tensor;
}

/** What backward needs of a forward call: references to its inputs and outputs, none copied. */
export interface SavedAttention extends AttentionInputs {
  readonly out: Tensor;
  /** float32 `[n, queryHeads]`, natural logarithm; −∞ for a row without keys. */
  readonly logSumExp: Tensor;
  /** With `keepTiles`: Q, K and V as this rank's tiles see them. */
  readonly tiles: KeptTiles | undefined;
  /** Frees what only this object holds: `logSumExp` and kept tiles. Not q, k, v and out. */
  free(): void;
}

/** The context-parallel attention operator of one rank. */
export interface Attention {
  /**
   * Takes another plan, for the calls from now on; what forward calls saved keeps its own plan.
   *
   * @throws LibraError `PLAN` when the plan is not for this pool
   */
  setPlan(plan: TilePlan): void;
  /**
   * Makes all that a later `setPlan` of this plan needs (exchange program, segments), for instance while
   * a step runs.
   *
   * @throws LibraError `PLAN` when the plan is not for this pool
   */
  prepare(plan: TilePlan): void;
  /**
   * Attention, causal inside each document of the plan. Returns at once; `stream` has the results.
   * Every rank of the pool makes the same calls in the same order.
   *
   * @param stream - the caller's stream: inputs are ready on it, outputs will be
   * @returns out `[n, queryHeads, valueDim]`, and what backward needs
   * @throws LibraError `PLAN` with both shapes, `ARGUMENT` with both types; `UNSUPPORTED` for any other
   *   argument (mask, bias, …)
   */
  forward(stream: Stream, inputs: AttentionInputs): { out: Tensor; saved: SavedAttention };
  /**
   * Gradients of a forward call; may be called again with the same `saved`.
   *
   * @returns dq, dk and dv in the shapes of q, k and v, new tensors that the caller frees
   * @throws LibraError `PLAN` with both shapes, `ARGUMENT` with both types
   */
  backward(stream: Stream, inputs: { dOut: Tensor; saved: SavedAttention }): Gradients;
  /** What was computed and exchanged so far. */
  stats(): AttentionStats;
}

// Not in `saved` itself, so that whoever looks through it for tensors finds nothing else.
const plans = new WeakMap<SavedAttention, PreparedPlan>();

/** Options that only this package's tests use. */
export interface InternalOptions {
  /** False sends even home tiles through the exchange. */
  readonly inPlace?: boolean;
}

const optionNames = "rank pool plan worker scale keepTiles hops dtype name".split(" ");

/**
 * Makes the attention operator of one rank: one table of tiles, whichever planner made it, carried
 * out as a pipeline over chunks on three streams.
 *
 * @throws LibraError `STATE` outside an initialised runtime, `PLAN` when plan and pool do not fit,
 *   `ARGUMENT` for a bad option, `UNSUPPORTED` for an unknown one or head dims beyond the kernels'
 */
export function createAttention(options: AttentionOptions): Attention {
  checkOnly(options, optionNames);
  return buildAttention(options);
}

/** `createAttention` with internal options. */
export function buildAttention(
  options: AttentionOptions,
  internal: InternalOptions = {},
): Attention {
  const { rank, pool, worker, keepTiles = false, name = "attention" } = options;
  if (typeof options.plan?.count !== "number") throw expected("a tile plan", "plan", options.plan);
  if (rank === undefined || pool === undefined) {
    throw new LibraError(
      "STATE",
      `Attention over a plan of ${options.plan.workers} workers needs an initialised runtime: call createAttention inside launchLocal with the rank and a pool of ${options.plan.workers} ranks`,
    );
  }
  if (typeof keepTiles !== "boolean") throw expected("true or false", "keepTiles", keepTiles);
  const hops = requireInteger(options.hops ?? 1, "hops", 1, 2) as 1 | 2;
  const dtype = requireFloatType(options.dtype ?? "float32");
  const scale = requireScale(options.scale);
  const prepare = (plan: TilePlan): PreparedPlan => {
    checkPlan(plan, worker, pool.size, pool.rank);
    return preparePlan(plan, worker, { hops, inPlace: internal.inPlace ?? true, dtype });
  };
  let current = prepare(options.plan);
  let forwardCalls = noCalls(pool.size);
  let backwardCalls: CallCounts = noCalls(pool.size);
  let keptBytes = 0;

  const contextOf = (stream: Stream, prepared: PreparedPlan): PassContext => ({
    device: rank.device,
    pool,
    streams: {
      compute: stream,
      dispatch: rank.stream("dispatch"),
      return: rank.stream("return"),
    },
    prepared,
    scale: scale ?? 1 / Math.sqrt(prepared.plan.heads.headDim),
  });

  const save = (
    inputs: AttentionInputs,
    prepared: PreparedPlan,
    result: {
      out: Tensor;
      logSumExp: Tensor;
      kept: KeptTiles | undefined;
    },
  ): SavedAttention => {
    const { out, logSumExp, kept } = result;
    const bytes =
      kept === undefined ? 0 : kept.q.byteLength + kept.k.byteLength + kept.v.byteLength;
    keptBytes += bytes;
    let freed = false;
    const free = (): void => {
      if (freed) return;
      freed = true;
      keptBytes -= bytes;
      logSumExp.free();
      for (const tensor of kept === undefined ? [] : [kept.q, kept.k, kept.v]) tensor.free();
    };
    const { q, k, v } = inputs;
    const saved = { q, k, v, out, logSumExp, tiles: kept, free };
    plans.set(saved, prepared);
    return saved;
  };

  return {
    setPlan(plan) {
      if (plan !== current.plan) current = prepare(plan);
    },
    prepare(plan) {
      prepare(plan);
    },
    forward(stream, inputs) {
      checkOnly(inputs, ["q", "k", "v"]);
      const shapes = shapesOf(current.rows, current.plan.heads);
      checkTensor(inputs.q, "q", dtype, shapes.q, "rows, query heads, head dim");
      checkTensor(inputs.k, "k", dtype, shapes.k, "rows, KV heads, head dim");
      checkTensor(inputs.v, "v", dtype, shapes.v, "rows, KV heads, value dim");
      const result = enqueueForward(contextOf(stream, current), inputs, keepTiles);
      forwardCalls = addCall(forwardCalls, current.forward);
      return { out: result.out, saved: save(inputs, current, result) };
    },
    backward(stream, inputs) {
      checkOnly(inputs, ["dOut", "saved"]);
      const { saved } = inputs;
      const prepared = plans.get(saved);
      if (prepared === undefined) throw expected("what forward returned", "saved", saved);
      const shapes = shapesOf(prepared.rows, prepared.plan.heads);
      checkTensor(inputs.dOut, "dOut", dtype, shapes.out, "rows, query heads, value dim");
      const gradients = enqueueBackward(contextOf(stream, prepared), {
        ...saved,
        dOut: inputs.dOut,
        kept: saved.tiles,
      });
      const counts = saved.tiles === undefined ? prepared.backward : prepared.backwardKept;
      backwardCalls = addCall(backwardCalls, counts);
      return gradients;
    },
    stats: () => ({
      name,
      planner: current.plan.planner,
      worker,
      workers: pool.size,
      forward: forwardCalls,
      backward: backwardCalls,
      keptBytes,
      memory: current.memory,
    }),
  };
}
