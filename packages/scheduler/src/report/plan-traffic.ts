import { requireInteger, requireNumber } from "@libra/base";
import { createTraffic, type Pass, type Traffic } from "@libra/cost-model";
import { linkClass } from "@libra/topology";
import { visitTransfers } from "../exchange/transfers.js";
import type { TilePlan } from "../plan/tile-plan.js";

/** What a plan's bytes depend on beside the plan. */
export interface TrafficOptions {
  readonly pass?: Pass;
  readonly hops?: 1 | 2;
  /** Bytes of an element of the model's dtype; 2 by default. */
  readonly elementBytes?: number;
}

/** Bytes that each worker sends and receives by link class, for every chunk and hop. */
export interface PlanTraffic {
  /** `[chunk][hop]`, in the order in which they run. */
  readonly dispatch: readonly (readonly Traffic[])[];
  readonly return: readonly (readonly Traffic[])[];
  /** All of the above together. */
  readonly total: Traffic;
  /** Other workers that each worker exchanges with. */
  readonly peers: Int32Array;
}

/** Bytes of one vector in each list of a pass. */
interface VectorBytes {
  query: number;
  key: number;
  queryBack: number;
  keyBack: number;
}

/**
 * Bytes on the wire of one pass of a plan. Q, K, V, O, dO and dQ have the model's dtype; log-sum-exp
 * and delta are one float32 per query vector; dK and dV travel in float32 (section 5 of the
 * algorithms).
 */
export function planTraffic(plan: TilePlan, options: TrafficOptions = {}): PlanTraffic {
  return planTraffics(plan, [options.pass ?? "forward"], options)[0]!;
}

/** Like {@link planTraffic} for several passes, which move the same vectors: one look at the plan. */
export function planTraffics(
  plan: TilePlan,
  passes: readonly Pass[],
  options: Omit<TrafficOptions, "pass"> = {},
): PlanTraffic[] {
  const hops = requireInteger(options.hops ?? 1, "hops", 1, 2) as 1 | 2;
  const classes = linkClasses(plan);
  const sums = passes.map((pass) => new PassTraffic(plan, hops, classes, { ...options, pass }));
  const met = new Uint8Array(plan.workers * plan.workers);
  const meet = (source: number, destination: number) => {
    met[source * plan.workers + destination] = 1;
    met[destination * plan.workers + source] = 1;
  };
  visitTransfers(plan, hops, {
    query(chunk, hop, source, destination, vectors) {
      meet(source, destination);
      for (const { bytes, dispatch, back, add } of sums) {
        add(dispatch[chunk]![hop]!, source, destination, vectors * bytes.query);
        add(back[chunk]![hops - 1 - hop]!, destination, source, vectors * bytes.queryBack);
      }
    },
    key(chunk, hop, source, destination, vectors) {
      meet(source, destination);
      for (const { bytes, dispatch, add } of sums) {
        add(dispatch[chunk]![hop]!, source, destination, vectors * bytes.key);
      }
    },
    keyBack(chunk, hop, source, destination, vectors) {
      for (const { bytes, back, add } of sums) {
        add(back[chunk]![hops - 1 - hop]!, destination, source, vectors * bytes.keyBack);
      }
    },
  });
  const peers = new Int32Array(plan.workers);
  for (let a = 0; a < plan.workers; a++) {
    for (let b = 0; b < plan.workers; b++) if (a !== b) peers[a]! += met[a * plan.workers + b]!;
  }
  return sums.map(({ dispatch, back, total }) =>
    Object.freeze({ dispatch, return: back, total, peers }),
  );
}

/** Sums of one pass. */
class PassTraffic {
  readonly bytes: VectorBytes;
  readonly dispatch: readonly (readonly Traffic[])[];
  readonly back: readonly (readonly Traffic[])[];
  readonly total: Traffic;

  constructor(
    private readonly plan: TilePlan,
    hops: 1 | 2,
    private readonly classes: Uint8Array,
    options: TrafficOptions,
  ) {
    const empty = () =>
      Array.from({ length: plan.chunks }, () =>
        Array.from({ length: hops }, () => createTraffic(plan.workers)),
      );
    this.bytes = vectorBytes(plan, options);
    this.dispatch = empty();
    this.back = empty();
    this.total = createTraffic(plan.workers);
  }

  readonly add = (traffic: Traffic, source: number, destination: number, amount: number): void => {
    if (amount === 0) return;
    const link = this.classes[source * this.plan.workers + destination]!;
    for (const sum of [traffic, this.total]) {
      sum.sent[source * 4 + link]! += amount;
      sum.received[destination * 4 + link]! += amount;
    }
  };
}

function vectorBytes(plan: TilePlan, options: TrafficOptions): VectorBytes {
  const element = requireNumber(options.elementBytes ?? 2, "elementBytes", Number.MIN_VALUE);
  const { headDim, valueDim } = plan.heads;
  const float = 4;
  if (options.pass === "backward") {
    return {
      query: (headDim + valueDim) * element + 2 * float,
      key: (headDim + valueDim) * element,
      queryBack: headDim * element,
      keyBack: (headDim + valueDim) * float,
    };
  }
  return {
    query: headDim * element,
    key: (headDim + valueDim) * element,
    queryBack: valueDim * element + float,
    keyBack: 0,
  };
}

function linkClasses(plan: TilePlan): Uint8Array {
  const { workers, nodes, ranks } = plan;
  const classes = new Uint8Array(workers * workers);
  for (let a = 0; a < workers; a++) {
    for (let b = 0; b < workers; b++) {
      classes[a * workers + b] = linkClass(nodes, ranks[a]!, ranks[b]!);
    }
  }
  return classes;
}
