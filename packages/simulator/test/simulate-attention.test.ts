import { linearTimer, pairsCost, rowElementsPerToken } from "@libra/cost-model";
import { libra, type PoolInput, planTraffic, timeline, ulysses } from "@libra/scheduler";
import { contiguousRows } from "@libra/topology";
import { describe, expect, it } from "vitest";
import { type Cluster, clusterByName, simulate, simulateAttention } from "../src/index.js";
import { longTail, tinyModel } from "./support/scenarios.js";

const window = 1024;
const timer = linearTimer(
  {
    forward: { launch: 0, pairs: 2e-10, rows: 1e-9, keys: 0, segment: 0 },
    backward: { launch: 0, pairs: 5e-10, rows: 2e-9, keys: 0, segment: 0 },
  },
  16,
);
const host: Cluster = {
  ...clusterByName("h100-ib"),
  ranksPerNode: 2,
  links: [
    { latency: 0, bandwidth: 1e9 },
    { latency: 0, bandwidth: 5e8 },
    { latency: 0, bandwidth: 1e9 },
    { latency: 0, bandwidth: 1e9 },
  ],
  rowBandwidth: 3e10,
  copies: "compute",
  timer: () => timer,
};
const input: PoolInput = {
  sequences: [[window], [512, 256, 128, 128]].map((lengths) => {
    let end = 0;
    return Int32Array.from([0, ...lengths.map((length) => (end += length))]);
  }),
  heads: { queryHeads: 8, kvHeads: 2, headDim: 32, valueDim: 32 },
  owned: [contiguousRows(window, 1), contiguousRows(window, 1)],
  cp: 1,
  cost: pairsCost(16),
  nodes: { ranksPerNode: 2 },
  ranks: [0, 1],
};

describe("simulateAttention", () => {
  const home = ulysses().plan(input);
  const pooled = libra().plan(input);
  const besideKernels = () => {
    const widths = { ...input.heads, hidden: 0, ffn: 0, activeExperts: 1, vocab: 0 };
    const { attention } = rowElementsPerToken("backward", widths);
    return (window * attention * 4) / host.rowBandwidth!;
  };

  it("moves nothing where every rank computes what it owns", () => {
    const { seconds, attention, copies } = simulateAttention(home, {
      cluster: host,
      elementBytes: 4,
    });
    expect([...copies]).toEqual([0, 0]);
    const [longest] = (["forward", "backward"] as const).map(
      (pass) => timeline(home, { links: host.links, timer, pass }).attention,
    );
    expect(attention[0]! / attention[1]!).toBeGreaterThan(2);
    expect(attention[0]).toBeGreaterThan(longest![0]!);
    expect(seconds).toBeCloseTo(attention[0]! + besideKernels(), 9);
  });

  it("copies with the receiving rank's own units, so that nothing hides", () => {
    const options = { cluster: host, elementBytes: 4 };
    const { seconds, attention, copies } = simulateAttention(pooled, options);
    for (const worker of [0, 1]) {
      const bytes = (["forward", "backward"] as const).map((pass) =>
        planTraffic(pooled, { pass, elementBytes: 4 }).total.received.subarray(4 * worker),
      );
      // Its own part stays where it is.
      const other = bytes.reduce((sum, received) => sum + received[1]! / 5e8, 0);
      expect(copies[worker]! / other).toBeCloseTo(1, 6);
      expect(seconds).toBeGreaterThan(attention[worker]! + copies[worker]!);
    }
    const beside = simulateAttention(pooled, { ...options, cluster: { ...host, copies: "links" } });
    expect(beside.seconds).toBeLessThan(seconds);
    expect([...beside.attention]).toEqual([...attention]);
  });
});

describe("simulate on a host", () => {
  const options = {
    model: tinyModel,
    cluster: host,
    gpus: 2,
    window,
    lengths: longTail(400, 3, 200),
    jitter: 0,
    elementBytes: 4,
    steps: 1,
  };

  it("adds row operators to what every token takes", () => {
    const { rowBandwidth: _, ...fused } = host;
    const of = (cluster: Cluster) =>
      simulate({ ...options, cluster, strategy: "ulysses" }).breakdown.linear;
    const elements = (["forward", "backward"] as const)
      .map((pass) => rowElementsPerToken(pass, tinyModel))
      .reduce((sum, each) => sum + tinyModel.layers * (each.layer + each.attention) + each.ends, 0);
    const rows = (window * elements * 4) / host.rowBandwidth!;
    expect(of(host) - of(fused)).toBeCloseTo(rows, 9);
  });

  it("balances the cost that it is given", () => {
    const skew = (cost?: ReturnType<typeof pairsCost>) => {
      const pooled = { ...options, strategy: "libra" as const, settings: { tolerance: 0 } };
      return simulate(cost === undefined ? pooled : { ...pooled, cost }).workerSkew;
    };
    expect(skew(pairsCost(512))).toBeGreaterThan(skew());
  });
});
