import type { CalibrationSample, Pass } from "@libra/cost-model";
import { attentionBackward, attentionDelta, attentionForward } from "../ops/attention.js";
import type { AttentionSegments } from "../ops/segments.js";
import type { Rank } from "../rank.js";
import type { Tensor } from "../tensor.js";
import type { AttentionCall } from "./attention-calls.js";
import { type Measurement, measureRounds, type RoundsOptions } from "./rounds.js";

// Below this a clock tick shows: short calls are repeated.
const leastSeconds = 2e-3;
const mostRounds = 64;

/**
 * Times forward and backward of every call: processor time of the busiest compute thread, which other
 * processes lengthen least.
 */
export async function measureAttention(
  rank: Rank,
  calls: readonly AttentionCall[],
  headDim: number,
  options: RoundsOptions,
): Promise<CalibrationSample[]> {
  const bench = new AttentionBench(rank, calls, headDim);
  const tasks = calls.flatMap((call) =>
    (["forward", "backward"] as const).map((pass) => ({ call, pass })),
  );
  const seconds = await measureRounds(
    tasks.map(({ call, pass }) => bench.measurement(call, pass)),
    options,
  );
  return tasks.map(({ call, pass }, i) => ({ pass, segments: call.shapes, seconds: seconds[i]! }));
}

class AttentionBench {
  readonly #rank: Rank;
  readonly #headDim: number;
  readonly #query: Record<"q" | "out" | "dOut" | "dq", Tensor>;
  readonly #key: Record<"k" | "v" | "dk" | "dv", Tensor>;
  readonly #numbers: Record<"logSumExp" | "delta", Tensor>;

  constructor(rank: Rank, calls: readonly AttentionCall[], headDim: number) {
    const { device } = rank;
    const queries = Math.max(...calls.map((call) => call.queries));
    const keys = Math.max(...calls.map((call) => call.keys));
    const random = (vectors: number, seed: number) =>
      device.fromArray(uniform(vectors * headDim, seed), [vectors, headDim]);
    const zeros = (vectors: number) => device.zeros([vectors, headDim]);
    this.#rank = rank;
    this.#headDim = headDim;
    this.#query = {
      q: random(queries, 1),
      out: zeros(queries),
      dOut: random(queries, 2),
      dq: zeros(queries),
    };
    this.#key = { k: random(keys, 3), v: random(keys, 4), dk: zeros(keys), dv: zeros(keys) };
    this.#numbers = { logSumExp: device.zeros([queries]), delta: device.zeros([queries]) };
  }

  measurement(call: AttentionCall, pass: Pass): Measurement {
    const stream = this.#rank.stream("compute");
    const kind = pass === "forward" ? "attentionForward" : "attentionBackward";
    // Every variant once, so that none is warmer than the others.
    let repeats = call.variants.length;
    return async () => {
      // Backward needs this call's own logSumExp: of another's rows its weights would overflow.
      if (pass === "backward") this.#prepare(call);
      stream.resetTimings();
      for (let i = 0; i < repeats; i++) this.#enqueue(variant(call, i), pass);
      await stream.done();
      const seconds = stream.timings()[kind]!.cpuMs / 1e3;
      const each = seconds / repeats;
      const rounds = Math.ceil(leastSeconds / each / call.variants.length);
      repeats = call.variants.length * Math.max(1, Math.min(mostRounds, rounds));
      return each;
    };
  }

  #prepare(call: AttentionCall): void {
    const { out, dOut } = this.#query;
    for (const segments of call.variants) this.#enqueue(segments, "forward");
    attentionDelta(this.#rank.stream("compute"), { out, dOut, delta: this.#numbers.delta });
  }

  #enqueue(segments: AttentionSegments, pass: Pass): void {
    const stream = this.#rank.stream("compute");
    const headDim = this.#headDim;
    const sizes = { segments, scale: 1 / Math.sqrt(headDim), headDim, valueDim: headDim };
    const { q, out, dOut, dq } = this.#query;
    const { k, v, dk, dv } = this.#key;
    const { logSumExp, delta } = this.#numbers;
    if (pass === "forward") attentionForward(stream, { q, k, v, out, logSumExp, ...sizes });
    else attentionBackward(stream, { q, k, v, dOut, logSumExp, delta, dq, dk, dv, ...sizes });
  }
}

function variant({ variants }: AttentionCall, repeat: number): AttentionSegments {
  return variants[repeat % variants.length]!;
}

/** Numbers in [−1, 1), the same for the same seed. */
export function uniform(count: number, seed: number): Float32Array {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
