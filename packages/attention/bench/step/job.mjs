// One attention layer, forward and backward, under two tile plans: two ranks with one compute thread
// each; one window is filled by one document, the other by 32.
import { createAttention } from "@libra/attention";
import { pairsCost } from "@libra/cost-model";
import { launchLocal } from "@libra/runtime";
import { libra, ulysses } from "@libra/scheduler";
import { contiguousRows } from "@libra/topology";
import { trial } from "../../../../bench/lib/trial.mjs";

const window = 8192;
const heads = { queryHeads: 8, kvHeads: 2, headDim: 64, valueDim: 64 };
const documents = [[window], Array.from({ length: 32 }, () => window / 32)];
const ranks = documents.length;

const sequences = documents.map((lengths) => {
  let row = 0;
  return Int32Array.from([0, ...lengths.map((length) => (row += length))]);
});

/** Numbers of a linear congruential generator in [−1, 1): the same in every run. */
function values(count, seed) {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

/** One function per meeting: all ranks' promises resolve when the last has come. */
function meeting() {
  let waiting = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < ranks) return;
      for (const go of waiting) go();
      waiting = [];
    });
}

/** CPU time of a rank's operations, by the busiest thread of each: its part of the critical path. */
function busyMs(rank, kinds = /./) {
  return Object.values(rank.timings())
    .flatMap((stream) => Object.entries(stream))
    .reduce((total, [kind, { cpuMs }]) => total + (kinds.test(kind) ? cpuMs : 0), 0);
}

function maxRelativeDifference(a, b) {
  let difference = 0;
  let largest = 0;
  for (let i = 0; i < a.length; i += 1) {
    difference = Math.max(difference, Math.abs(a[i] - b[i]));
    largest = Math.max(largest, Math.abs(a[i]));
  }
  return difference / largest;
}

/** Of results by name. */
function largestDifference(a, b) {
  return Math.max(...Object.keys(a).map((key) => maxRelativeDifference(a[key], b[key])));
}

/**
 * Runs both plans in turns, `rounds` times each, on tensors of a type.
 *
 * @returns {Promise<{ plans: any, samples: Record<"ulysses" | "libra", { wallMs: number, busyMs:
 *   number, attentionMs: number[] }[]>, difference: number, foreignTrials: number }>} plans and
 *   samples by planner: wall time of the slowest rank, busy time of the busiest, and busy time of
 *   every rank's attention kernels; the greatest relative difference of their results
 * @throws when the plans' results differ by more than the type's rounding, or those of bfloat16 from
 *   those of float32
 */
export async function runStep(rounds, { limit, log = console.log, dtype = "float32" } = {}) {
  // Between plans only the order of the sums of dK and dV differs: in bfloat16, one rounding.
  const tolerance = { float32: 1e-5, bfloat16: 2 ** -7 }[dtype];
  if (tolerance === undefined) throw new Error(`Expected float32 or bfloat16, not ${dtype}`);
  const typeTolerance = 2 ** -5; // inputs, probabilities, outputs and gradients are rounded
  const meet = meeting();
  const shared = { times: [], busy: [], attention: [], difference: [], fromFloat32: [] };
  const [report] = await launchLocal(
    ranks,
    async (rank) => {
      const { device } = rank;
      const cost = pairsCost(device.rowBlock);
      const input = {
        sequences,
        heads,
        owned: sequences.map(() => contiguousRows(window, 1)),
        cp: 1,
        cost,
      };
      const plans = { ulysses: ulysses().plan(input), libra: libra().plan(input) };
      const options = { rank, pool: rank.world, worker: rank.rank };
      const operatorOf = (name, type) =>
        createAttention({ ...options, plan: plans[name], name, dtype: type });
      const attention = {
        ulysses: operatorOf("ulysses", dtype),
        libra: operatorOf("libra", dtype),
      };
      const inputsOf = (type) => {
        const tensor = (count, size, seed) => {
          const array = values(window * count * size, seed + rank.rank);
          return device.fromArray(array, [window, count, size], type);
        };
        return {
          q: tensor(heads.queryHeads, heads.headDim, 10),
          k: tensor(heads.kvHeads, heads.headDim, 20),
          v: tensor(heads.kvHeads, heads.valueDim, 30),
          dOut: tensor(heads.queryHeads, heads.valueDim, 40),
        };
      };
      const inputs = inputsOf(dtype);
      const stream = rank.stream("compute");

      /** Forward and backward on all ranks; the slowest rank's wall time and the largest busy time. */
      const step = async (operator, { dOut, ...qkv } = inputs, keep = false) => {
        for (const each of ["compute", "dispatch", "return"]) rank.stream(each).resetTimings();
        await meet();
        const start = performance.now();
        const { out, saved } = operator.forward(stream, qkv);
        const gradients = operator.backward(stream, { dOut, saved });
        await stream.done();
        shared.times[rank.rank] = performance.now() - start;
        shared.busy[rank.rank] = busyMs(rank);
        shared.attention[rank.rank] = busyMs(rank, /^attention(Forward|Backward)$/);
        const tensors = { out, ...gradients };
        const kept = {};
        if (keep)
          for (const [key, value] of Object.entries(tensors)) kept[key] = await stream.read(value);
        saved.free();
        for (const value of Object.values(tensors)) value.free();
        await meet();
        const [wallMs, busy] = [Math.max(...shared.times), Math.max(...shared.busy)];
        return { wallMs, busyMs: busy, attentionMs: [...shared.attention], kept };
      };

      // The first run of each warms caches and gives the results to compare.
      const { kept: before } = await step(attention.ulysses, inputs, true);
      const { kept: after } = await step(attention.libra, inputs, true);
      shared.difference[rank.rank] = largestDifference(before, after);
      if (dtype === "bfloat16") {
        const wide = await step(operatorOf("libra", "float32"), inputsOf("float32"), true);
        shared.fromFloat32[rank.rank] = largestDifference(after, wide.kept);
      }
      const samples = { ulysses: [], libra: [] };
      let foreignTrials = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const name of ["ulysses", "libra"]) {
          // Rank 0 decides for all whether a trial counts; the others follow.
          if (rank.rank === 0) {
            const result = await trial(
              async () => {
                shared.next = name;
                await meet();
                return step(attention[name]);
              },
              limit === undefined ? {} : { limit },
            );
            shared.next = undefined;
            foreignTrials += result.foreignTrials;
            samples[name].push(result.value);
            const { wallMs, busyMs: busy } = result.value;
            const others = `${(100 * result.foreign).toFixed(0)} % of a core taken by others`;
            log(
              `${name.padEnd(8)} ${wallMs.toFixed(0)} ms, busiest rank ${busy.toFixed(0)} ms, ${others}`,
            );
            await meet();
          } else {
            for (await meet(); shared.next !== undefined; await meet())
              await step(attention[shared.next]);
          }
        }
      }
      return { plans, samples, foreignTrials };
    },
    { threads: 1, timeoutMs: 120_000 },
  );
  const difference = Math.max(...shared.difference);
  const fromFloat32 = Math.max(0, ...shared.fromFloat32);
  if (!(difference <= tolerance && fromFloat32 <= typeTolerance)) {
    throw new Error(`Plans differ by ${difference}, bfloat16 from float32 by ${fromFloat32}`);
  }
  return { ...report, difference, fromFloat32 };
}
