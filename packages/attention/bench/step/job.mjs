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

/**
 * Runs both plans in turns, `rounds` times each.
 *
 * @returns {Promise<{ plans: any, samples: Record<"ulysses" | "libra", { wallMs: number, busyMs:
 *   number, attentionMs: number[] }[]>, difference: number, foreignTrials: number }>} plans and
 *   samples by planner: wall time of the slowest rank, busy time of the busiest, and busy time of
 *   every rank's attention kernels; the greatest relative difference of their results
 */
export async function runStep(rounds, { limit, log = console.log } = {}) {
  const meet = meeting();
  const shared = { times: [], busy: [], attention: [], difference: [] };
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
      const attention = Object.fromEntries(
        Object.entries(plans).map(([name, plan]) => [
          name,
          createAttention({ ...options, plan, name }),
        ]),
      );
      const tensor = (count, size, seed) =>
        device.fromArray(values(window * count * size, seed + rank.rank), [window, count, size]);
      const q = tensor(heads.queryHeads, heads.headDim, 10);
      const k = tensor(heads.kvHeads, heads.headDim, 20);
      const v = tensor(heads.kvHeads, heads.valueDim, 30);
      const dOut = tensor(heads.queryHeads, heads.valueDim, 40);
      const stream = rank.stream("compute");

      /** Forward and backward on all ranks; the slowest rank's wall time and the largest busy time. */
      const step = async (name, keep = false) => {
        for (const each of ["compute", "dispatch", "return"]) rank.stream(each).resetTimings();
        await meet();
        const start = performance.now();
        const { out, saved } = attention[name].forward(stream, { q, k, v });
        const gradients = attention[name].backward(stream, { dOut, saved });
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
      const [before, after] = [await step("ulysses", true), await step("libra", true)];
      shared.difference[rank.rank] = Math.max(
        ...Object.keys(before.kept).map((key) =>
          maxRelativeDifference(before.kept[key], after.kept[key]),
        ),
      );
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
                return step(name);
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
            for (await meet(); shared.next !== undefined; await meet()) await step(shared.next);
          }
        }
      }
      return { plans, samples, foreignTrials };
    },
    { threads: 1, timeoutMs: 120_000 },
  );
  return { ...report, difference: Math.max(...shared.difference) };
}
