// What does every planner's tile plan cost on real document lengths, and does Libra's keep its gates?
// Usage: npm run bench -- tiles [--quick] [--data NAME] [--times]
//   --quick: the two base settings only; --times: planning times only
import { parseArgs } from "node:util";
import { hardware, hardwareLinks } from "@libra/cost-model";
import { wlbPlacement } from "@libra/sampler";
import {
  allGather,
  disaggregated,
  exchangeProgram,
  libra,
  minHeapChunks,
  perDocument,
  ring,
  tiledGreedy,
  ulysses,
  zigzag,
} from "@libra/scheduler";
import { corpora } from "./tiles/corpora.mjs";
import { heldAndForeign, measurePool, poolTraffic } from "./tiles/measure.mjs";
import { stepsOf, striped } from "./tiles/steps.mjs";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    data: { type: "string" },
    times: { type: "boolean", default: false },
  },
});

const base256K = { window: 262144, dp: 128, pool: 8, cp: 8, queryHeads: 32, kvHeads: 8 };
const base1M = { window: 1048576, dp: 64, pool: 16, cp: 16, queryHeads: 32, kvHeads: 8 };

// One axis at a time around the two base settings.
const settings = [
  base256K,
  ...[4, 16, 32].map((cp) => ({ ...base256K, cp })),
  { ...base256K, kvHeads: 4 },
  ...[32, 512, 1024].map((dp) => ({ ...base256K, dp })),
  base1M,
  ...[4, 8, 32].map((cp) => ({ ...base1M, cp })),
  { ...base1M, kvHeads: 4 },
  ...[32, 128].map((dp) => ({ ...base1M, dp })),
];

// Planners beside Libra stand at the base settings; work of theirs that leaves the group needs pools.
const surplus = "documents";
const libraPlanners = [0, 0.01].map((tolerance) => ({
  name: `libra ${tolerance}`,
  planner: libra({ tolerance, surplus }),
  placement: "libra",
  rows: striped,
  tolerance,
}));
const timing = {
  links: hardwareLinks(hardware.h100),
  secondsPerCost: (2 * (128 + 128)) / 600e12,
  hops: 2,
};
const otherPlanners = [
  { name: "ulysses", planner: ulysses(), placement: "arrival" },
  { name: "allGather", planner: allGather(), placement: "arrival" },
  { name: "zigzag", planner: zigzag(), placement: "arrival" },
  { name: "perDocument", planner: perDocument(), placement: "arrival" },
  { name: "perDocument adaptive", planner: perDocument({ adaptive: true }), placement: "arrival" },
  { name: "WLB", planner: perDocument({ adaptive: true }), placement: "wlb" },
  {
    name: "WLB without delay",
    planner: perDocument({ adaptive: true }),
    placement: "wlb without queues",
  },
  { name: "minHeapChunks", planner: minHeapChunks(), placement: "arrival" },
  { name: "ring", planner: ring(), placement: "arrival" },
  { name: "disaggregated 0", planner: disaggregated({ tolerance: 0 }), placement: "libra" },
  { name: "disaggregated 0.01", planner: disaggregated(), placement: "libra" },
  { name: "tiledGreedy", planner: tiledGreedy(), placement: "libra", pools: 1 },
  {
    name: "libra auto",
    planner: libra({ tolerance: "auto", timing, surplus }),
    placement: "libra",
    rows: striped,
    pools: 2,
  },
  { name: "libra, heads leave", planner: libra(), placement: "libra" },
];

// Every step of wlb is made anew, so each use takes its own.
const placements = {
  libra: () => "libra",
  arrival: () => "arrival",
  wlb: () => wlbPlacement(),
  "wlb without queues": () => wlbPlacement({ thresholds: [] }),
};

const worst = (values) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const round = (value) => Number(value.toPrecision(5));

/** One row: worst values over steps and pools, means where a mean says more. */
function measure(entry, steps, setting, measuredPools) {
  const reference = ulysses();
  const skews = [];
  const pools = [];
  const milliseconds = [];
  for (const { pools: inputs } of steps) {
    let most = 0;
    let total = 0;
    let workers = 0;
    for (const pool of inputs.slice(0, entry.pools ?? inputs.length)) {
      const input = entry.rows === undefined ? pool : entry.rows(pool);
      const start = performance.now();
      const plan = entry.planner.plan(input);
      milliseconds.push(performance.now() - start);
      most = Math.max(most, worst(plan.loads));
      total += plan.total;
      workers += plan.workers;
      const figures = { workerSkew: plan.workerSkew, bound: plan.bound };
      Object.assign(figures, { moved: plan.moved, leastMoved: plan.leastMoved });
      if (pools.length < measuredPools) {
        const other = reference.plan(pool);
        const { held } = heldAndForeign(other);
        Object.assign(figures, measurePool(plan, { traffic: poolTraffic(other, 1), held }));
      }
      pools.push(figures);
    }
    skews.push(most / (total / workers));
  }
  const measured = pools.filter((pool) => pool.bytesRatio !== undefined);
  const most = (key) => round(worst(measured.map((pool) => pool[key])));
  return {
    ...setting,
    planner: entry.name,
    placement: entry.placement,
    skew: round(worst(skews)),
    workerSkew: round(worst(pools.map((pool) => pool.workerSkew))),
    bound: round(worst(pools.map((pool) => pool.bound))),
    placementSkew: round(worst(steps.map((step) => step.placementSkew))),
    moved: round(mean(pools.map((pool) => pool.moved))),
    leastMoved: round(mean(pools.map((pool) => pool.leastMoved))),
    bytesRatio: most("bytesRatio"),
    busiestRankBytesRatio: most("busiestRankBytesRatio"),
    heldRatio: most("heldRatio"),
    egressRatio: most("egressRatio"),
    interNodeOverCompute: most("interNodeOverCompute"),
    interNodeOverComputeOneHop: most("interNodeOverComputeOneHop"),
    foreign: most("foreign"),
    peers: most("peers"),
    milliseconds: round(median(milliseconds)),
  };
}

/** Gates of a row of the Libra planner, as [name, value, limit]. */
function gates(row, tolerance) {
  const { window, pool, cp } = row;
  const small = window <= 262144;
  const list = [];
  if (row.placementSkew <= 1.005) {
    list.push(["workerSkew", row.workerSkew, 1 + tolerance + (small ? 0.003 : 0.01)]);
    list.push(["skew", row.skew, small ? 1.01 : 1.02]);
  }
  if (tolerance === 0) list.push(["moved - leastMoved", row.moved - row.leastMoved, 0.005]);
  list.push(["bytesRatio", row.bytesRatio, 1.25]);
  if ((small && cp === 8) || (!small && cp === 16)) {
    list.push(["interNodeOverCompute", row.interNodeOverCompute, 0.5]);
  }
  list.push(["heldRatio", row.heldRatio, 5], ["foreign", row.foreign, 3]);
  list.push(["peers", row.peers, Math.ceil((pool * cp) / 8) + 8]);
  return list;
}

/** Warm medians of planning, in milliseconds. */
function planningTimes(lengths) {
  const time = (work, rounds) => {
    for (let i = 0; i < rounds; i++) work(i);
    const times = Array.from({ length: rounds }, (_, i) => {
      const start = performance.now();
      work(i);
      return performance.now() - start;
    });
    return round(median(times));
  };
  const documents = (rows, count) =>
    Int32Array.from({ length: count + 1 }, (_, i) => Math.round(rows * (i / count) ** 1.5));
  const times = {};
  for (const [name, setting] of [
    ["P 8, CP 8", { ...base256K, dp: 8 }],
    ["P 16, CP 32", { ...base1M, cp: 32, dp: 16 }],
  ]) {
    const steps = stepsOf(lengths, setting, "libra", 4);
    // Unequal groups: every second sequence is one document.
    const whole = Int32Array.of(0, setting.window);
    const inputs = steps.map(({ pools }) =>
      striped({
        ...pools[0],
        sequences: pools[0].sequences.map((_, i) =>
          i % 2 === 0 ? whole : documents(setting.window, 64),
        ),
      }),
    );
    const planner = libra({ surplus });
    const plan = planner.plan(inputs[0]);
    times[`tile table, ${name}`] = time((i) => planner.plan(inputs[i % inputs.length]), 300);
    times[`re-plan, ${name}`] = time((i) => planner.replan(inputs[i % inputs.length]), 300);
    for (const hops of [1, 2]) {
      times[`program, ${hops} hop${hops > 1 ? "s" : ""}, ${name}`] = time(
        (i) => exchangeProgram(plan, i % plan.workers, { hops }),
        300,
      );
    }
  }
  const planner = libra({ surplus });
  const [wide] = stepsOf(lengths, { ...base256K, dp: 1024 }, "libra", 1);
  const pools = wide.pools.map(striped);
  const all = (count) => {
    for (let i = 0; i < count; i++) planner.replan(pools[i]);
  };
  times["all pools, dp 128, CP 8, 256K"] = time(() => all(128 / 8), 100);
  Object.assign(times, linearity(all, pools.length));
  return times;
}

/**
 * Medians of planning 1/8, 1/4, 1/2 and all of the pools, in turns, and their log-log slope. Processor
 * time: a long run is interrupted more often than a short one.
 */
function linearity(plan, pools) {
  const counts = [8, 4, 2, 1].map((part) => pools / part);
  const rounds = counts.map(() => []);
  for (let i = 0; i < 60; i++) {
    for (let k = 0; k < counts.length; k++) {
      const turn = (i + k) % counts.length;
      const start = process.cpuUsage();
      plan(counts[turn]);
      const { user, system } = process.cpuUsage(start);
      rounds[turn].push((user + system) / 1000);
    }
  }
  const medians = rounds.map((times) => median(times));
  const x = counts.map(Math.log);
  const y = medians.map(Math.log);
  const centred = (values) => values.map((value) => value - mean(values));
  const [dx, dy] = [centred(x), centred(y)];
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return {
    ...Object.fromEntries(counts.map((count, i) => [`${count} pools`, round(medians[i])])),
    "slope over pools, 1 is linear": round(dot(dx, dy) / dot(dx, dx)),
  };
}

const timeLimits = {
  "tile table, P 8, CP 8": 0.05,
  "tile table, P 16, CP 32": 0.4,
  "program, 1 hop, P 8, CP 8": 0.1,
  "program, 1 hop, P 16, CP 32": 0.5,
  "all pools, dp 128, CP 8, 256K": 1,
  "slope over pools, 1 is linear": 1.1,
};

const { found, missing } = await corpora();
for (const file of missing) console.log(`left out: ${file} is not here`);
const rows = [];
const failed = [];
let checked = 0;
const check = (where, name, value, limit) => {
  checked++;
  if (value <= limit) return;
  failed.push(`${where}: ${name} ${round(value)} > ${round(limit)}`);
};
const columns = ["planner", "skew", "workerSkew", "placementSkew", "moved", "leastMoved"];
columns.push("bytesRatio", "busiestRankBytesRatio", "heldRatio", "egressRatio");
columns.push("interNodeOverCompute", "interNodeOverComputeOneHop", "foreign", "peers");
columns.push("milliseconds");

for (const [data, lengths] of Object.entries(found)) {
  if (options.times || (options.data !== undefined && options.data !== data)) continue;
  for (const setting of settings) {
    const isBase = setting === base256K || setting === base1M;
    if (options.quick && !isBase) continue;
    const title = `${data}, concatSplit, seed 0: ${JSON.stringify(setting)}`;
    const placed = {};
    const table = [];
    for (const entry of [...(isBase ? otherPlanners : []), ...libraPlanners]) {
      placed[entry.placement] ??= stepsOf(
        lengths,
        setting,
        placements[entry.placement](),
        isBase ? 3 : 1,
      );
      const steps = placed[entry.placement];
      if (steps.length === 0) continue;
      const measuredPools = entry.tolerance !== undefined && isBase ? 64 : 2;
      const row = { data, ...measure(entry, steps, setting, measuredPools) };
      rows.push(row);
      table.push(row);
      if (entry.tolerance === undefined) continue;
      for (const gate of gates(row, entry.tolerance)) check(`${title} ${entry.name}`, ...gate);
    }
    if (table.length === 0) console.log(`\n${title}: the corpus does not fill a step`);
    else console.log(`\n${title}`);
    if (table.length > 0)
      console.table(
        table.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))),
      );
  }
}
const times = planningTimes(found.standIn);
const planning = Object.entries(times).map(([name, value]) => ({
  name,
  value,
  limit: timeLimits[name] ?? null,
}));
console.log("\nplanning, warm medians in ms, and the gates:");
console.table(planning);
for (const { name, value, limit } of planning) {
  if (limit !== null) check("planning", name, value, limit);
}
console.log(`\n${checked - failed.length} of ${checked} gates kept`);
for (const line of failed) console.log(`not kept: ${line}`);
console.log(JSON.stringify({ rows, planning, gates: { checked, failed } }));
