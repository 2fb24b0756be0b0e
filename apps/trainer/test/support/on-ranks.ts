import { createAttention } from "@libra/attention";
import { pairsCost } from "@libra/cost-model";
import { copy, type FloatType, launchLocal } from "@libra/runtime";
import { plannerByName } from "@libra/scheduler";
import { contiguousRows, type OwnedRows, zigzagRows } from "@libra/topology";
import { ownedRowsOf, type SequenceRows } from "../../src/data/sequence.js";
import { parameterShapes } from "../../src/model/parameter-shapes.js";
import { Parameters } from "../../src/model/parameters.js";
import { Qwen3 } from "../../src/model/qwen3.js";
import { headsOf, type ModelSizes } from "../../src/model/sizes.js";
import { runMicroStep } from "../../src/train/micro-step.js";

export interface Case {
  sizes: ModelSizes;
  weights: ReadonlyMap<string, Float32Array>;
  whole: SequenceRows;
  cuSeqlens: Int32Array;
  cp: number;
  planner?: string;
  zigzag?: boolean;
  scale?: number;
  dtype?: FloatType;
}

export interface CaseResult {
  /** [rows, vocabulary], in the order of the sequence. */
  logits: Float32Array;
  lossSum: number;
  targets: number;
  gradients: Map<string, Float32Array>;
  /** Tiles computed and vectors sent in forward passes, per rank. */
  stats: { tiles: number; vectorsSent: number; calls: number }[];
}

/** One packed sequence through the model on `cp` ranks: logits, and gradients of lossSum · scale. */
export async function runCase(given: Case): Promise<CaseResult> {
  const { sizes, weights, whole, cuSeqlens, cp, planner = "libra", zigzag, scale = 1 } = given;
  const { dtype = "float32" } = given;
  const rows = whole.ids.length;
  const owned = zigzag ? zigzagRows(cuSeqlens, cp) : contiguousRows(rows, cp);
  const results = await launchLocal(
    cp,
    async (rank) => {
      const { device } = rank;
      const stream = rank.stream("compute");
      const place = { device, stream };
      const parameters = new Parameters(device, parameterShapes(sizes), dtype);
      copy(stream, {
        from: device.fromArray(parameters.join(weights), [parameters.values.size]),
        to: parameters.values,
      });
      parameters.refresh(stream);
      const model = new Qwen3(place, parameters, sizes);
      const plan = plannerByName(planner, { chunks: 2 }).plan({
        sequences: [cuSeqlens],
        heads: headsOf(sizes),
        owned: [owned],
        cp,
        cost: pairsCost(device.rowBlock),
      });
      const attention = createAttention({ rank, pool: rank.world, plan, worker: rank.rank, dtype });
      const attend = (inputs: AttendArguments) => {
        const { out, saved } = attention.forward(stream, inputs);
        const backward = (dOut: typeof out) => attention.backward(stream, { dOut, saved });
        return { out, kept: [inputs.q, inputs.k, inputs.v, saved.logSumExp], backward };
      };
      const mine = ownedRowsOf(whole, owned, rank.rank);
      const column = (values: Int32Array) => device.fromArray(values, [values.length]);
      const { last } = await model.forward(
        { ids: column(mine.ids), positions: column(mine.positions) },
        attend,
      );
      const out = device.empty([last.shape[0]!, sizes.vocabulary]);
      const shard = Float32Array.from(await stream.read(model.head.forward(last, { out })));
      const sums = device.zeros([2], "float64");
      await runMicroStep(place, { model, rows: mine, attend, scale, sums });
      rank.world.allReduce(stream, parameters.gradients);
      rank.world.allReduce(stream, sums);
      const [lossSum, targets] = await stream.read(sums);
      const flat = Float32Array.from(await stream.read(parameters.gradients));
      const { tiles, vectorsSent } = attention.stats().forward.total;
      const gradients = new Map(
        [...parameters.split(flat)].map(([name, { data }]) => [name, data]),
      );
      const stats = { tiles, vectorsSent, calls: attention.stats().forward.calls };
      return { shard, lossSum: lossSum!, targets: targets!, gradients, stats };
    },
    { threads: 1 },
  );
  const { lossSum, targets, gradients } = results[0]!;
  const logits = joinShards(
    results.map(({ shard }) => shard),
    owned,
    sizes.vocabulary,
  );
  return { logits, lossSum, targets, gradients, stats: results.map(({ stats }) => stats) };
}

type AttendArguments = globalThis.Parameters<ReturnType<typeof createAttention>["forward"]>[1];

function joinShards(shards: Float32Array[], owned: OwnedRows, width: number): Float32Array {
  const whole = new Float32Array(owned.rows * width);
  for (const [c, shard] of shards.entries()) {
    let row = 0;
    for (let i = owned.offsets[c]!; i < owned.offsets[c + 1]!; i += 1) {
      const [start, end] = [owned.starts[i]!, owned.ends[i]!];
      whole.set(shard.subarray(row * width, (row + end - start) * width), start * width);
      row += end - start;
    }
  }
  return whole;
}

/** Rows of documents side by side, targets shifted inside each. */
export function rowsOf(documents: readonly ArrayLike<number>[]): {
  whole: SequenceRows;
  cuSeqlens: Int32Array;
} {
  const cuSeqlens = new Int32Array(documents.length + 1);
  const ids: number[] = [];
  const positions: number[] = [];
  const targets: number[] = [];
  for (const [d, document] of documents.entries()) {
    const list = Array.from(document);
    ids.push(...list);
    positions.push(...list.keys());
    targets.push(...list.slice(1), ...(list.length > 0 ? [-100] : []));
    cuSeqlens[d + 1] = ids.length;
  }
  return {
    whole: {
      ids: Int32Array.from(ids),
      positions: Int32Array.from(positions),
      targets: Int32Array.from(targets),
    },
    cuSeqlens,
  };
}
