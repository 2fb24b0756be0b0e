import { hardware, models } from "@libra/cost-model";
import { describe, expect, it } from "vitest";
import { clusterByName, clusterNames } from "../../src/machine/cluster.js";
import {
  allToAllTime,
  gatherTime,
  groupShape,
  networkBandwidth,
} from "../../src/machine/collectives.js";
import { jitterFactors } from "../../src/machine/jitter.js";
import { readCluster } from "../../src/machine/read-cluster.js";
import { presetModel, readModel } from "../../src/machine/read-model.js";
import { requireStrategy } from "../../src/strategies/by-name.js";

const full = `
name: two boxes
ranksPerNode: 4
cardsPerNode: 2
peakTflops: 100
memoryGB: 24
memoryBandwidthGBs: 1000
links:
  self: { latencyMicroseconds: 1, bandwidthGBs: 500 }
  sameNode: { latencyMicroseconds: 2, bandwidthGBs: 50 }
  farther: { latencyMicroseconds: 5, bandwidthGBs: 12.5 }
attention: { forwardTflops: 60, backwardTflops: 40 }
`;

describe("presets", () => {
  it("are every device on either network, with the sources of their figures", () => {
    expect(clusterNames).toHaveLength(2 * Object.keys(hardware).length);
    for (const name of clusterNames) {
      const cluster = clusterByName(name);
      expect(cluster.name).toBe(name);
      expect(cluster.sources.length).toBeGreaterThan(1);
      expect(cluster.links[3].bandwidth).toBeLessThan(cluster.links[1].bandwidth);
    }
    expect(clusterByName("h100-roce").links[3].latency).toBe(10e-6);
  });

  it("name the nearest when unknown", () => {
    expect(() => clusterByName("h100-bi")).toThrow(
      /Unknown cluster "h100-bi"; did you mean h100-ib/,
    );
    expect(() => presetModel("qwen3-8")).toThrow(/did you mean qwen3-8b\? Valid: qwen3-8b, /);
    expect(() => presetModel("foo")).toThrow(
      /^Unknown model "foo"\. Valid: qwen3-8b, .*; or a YAML file$/,
    );
    expect(() => requireStrategy("foo")).toThrow(
      /^Unknown strategy "foo"\. Valid: ulysses, perDocument, wlb, hybridCp, distca, libra$/,
    );
  });
});

describe("readCluster", () => {
  it("reads a whole description; what is not said about racks is as far as other nodes", () => {
    const cluster = readCluster(full);
    expect(cluster).toMatchObject({
      name: "two boxes",
      ranksPerNode: 4,
      cardsPerNode: 2,
      peak: 1e14,
    });
    expect(cluster.matrixRate).toBeCloseTo(0.7e14, -8);
    expect(cluster.links[2]).toEqual(cluster.links[3]);
    expect(cluster.links[3]).toEqual({ latency: 5e-6, bandwidth: 12.5e9 });
    const timer = cluster.timer({ headDim: 128, valueDim: 128 });
    const pairs = 128 * 4096;
    expect(timer.segment("forward", { kind: "full" }, 128, 4096)).toBeCloseTo(
      (512 * pairs) / 60e12,
      12,
    );
  });

  it("knows hosts whose ranks stream rows and copy with their own cores", () => {
    expect(readCluster(full).rowBandwidth).toBeUndefined();
    expect(readCluster(full).copies).toBe("links");
    const host = readCluster(`${full}rowBandwidthGBs: 30\ncopies: compute\n`);
    expect(host).toMatchObject({ rowBandwidth: 30e9, copies: "compute" });
    expect(() => readCluster(`${full}copies: cores\n`)).toThrow(
      'Expected links or compute for cluster.copies but received "cores"',
    );
    expect(() => readCluster(`${full}rowBandwidthGBs: 0\n`)).toThrow(/cluster\.rowBandwidthGBs/);
  });

  it("takes what is missing from the preset that it starts from", () => {
    const cluster = readCluster(
      "base: h100-ib\nlinks:\n  farther: { latencyMicroseconds: 5, bandwidthGBs: 25 }\n",
    );
    expect(cluster.links[3].bandwidth).toBe(25e9);
    expect(cluster.links[1]).toEqual(clusterByName("h100-ib").links[1]);
    expect(cluster.memoryBytes).toBe(80e9);
    expect(cluster.peak).toBe(hardware.h100.peak);
  });

  it.each([
    [full.replace("memoryGB: 24", ""), "cluster.memoryGB is missing"],
    [
      full.replace("memoryGB: 24", "memoryGB: -24"),
      /above 0 for cluster\.memoryGB but received -24/,
    ],
    [
      full.replace("bandwidthGBs: 12.5", "bandwidthGBs: 0"),
      /cluster\.links\.farther\.bandwidthGBs/,
    ],
    [
      full.replace("latencyMicroseconds: 5, ", ""),
      "cluster.links.farther.latencyMicroseconds is missing",
    ],
    [
      full.replace("ranksPerNode: 4", "ranksPerNode: 1.5"),
      /whole number of at least 1 for cluster\.ranksPerNode/,
    ],
    [
      full.replace("cardsPerNode", "cardPerNode"),
      /Unknown key cluster\.cardPerNode; did you mean cardsPerNode/,
    ],
    [full.replace("forwardTflops: 60", "forwardTflops: 600"), /cluster\.attention\.forwardTflops/],
    ["base: h100-bi", /did you mean h100-ib/],
    ["- 1", /Expected a mapping/],
    ["a: [", /The cluster file is not YAML/],
    ["base: h100-ib\nattention: { profile: x.json }", /cluster\.attention\.profile/],
  ])("refuses %#", (text, message) => {
    expect(() => readCluster(text)).toThrow(message);
  });

  it("times kernels by a calibration profile, and lets planners balance its cost", () => {
    const pass = { launch: 1e-5, pairs: 1e-12, rows: 1e-9, keys: 0, segment: 0 };
    const profile = JSON.stringify({
      version: 1,
      device: "test",
      kernel: "test",
      dtype: "bf16",
      headDim: 128,
      rowBlock: 64,
      date: "2026-01-01",
      coefficients: { forward: pass, backward: pass },
      error: { forward: { median: 0, largest: 0 }, backward: { median: 0, largest: 0 } },
    });
    const cluster = readCluster("base: h100-ib\nattention: { profile: p.json }", (path) => {
      expect(path).toBe("p.json");
      return profile;
    });
    expect(cluster.timer({ headDim: 128, valueDim: 128 }).rowBlock).toBe(64);
    expect(cluster.cost!.rowBlock).toBe(64);
  });
});

describe("readModel", () => {
  it("starts from a preset or is whole", () => {
    expect(readModel("base: qwen3-8b\nlayers: 12")).toMatchObject({ layers: 12, hidden: 4096 });
    const whole = readModel(
      "layers: 2\nhidden: 64\nqueryHeads: 4\nkvHeads: 2\nheadDim: 16\nffn: 128\nvocab: 100",
    );
    expect(whole).toMatchObject({ valueDim: 16, experts: 0, activeExperts: 1 });
    expect(presetModel("qwen3-30b-a3b")).toBe(models["qwen3-30b-a3b"]);
  });

  it.each([
    ["base: qwen3-8b\nlayers: 0", /model\.layers/],
    ["base: qwen3-8b\nkvHeads: 5", /divisor of the 32 query heads for model\.kvHeads/],
    ["base: qwen3-8b\nlayer: 3", /Unknown key model\.layer; did you mean layers/],
    ["layers: 2", "model.queryHeads is missing"],
  ])("refuses %#", (text, message) => {
    expect(() => readModel(text)).toThrow(message);
  });
});

describe("collectives", () => {
  const cluster = clusterByName("h100-ib");

  it("use all cards of a node together, each rank's own link at most", () => {
    const wide = groupShape(cluster, 64, 1);
    expect(wide).toEqual({ ranks: 64, perNode: 8 });
    const bytes = 8e9;
    const seconds = gatherTime(cluster, wide, bytes);
    expect(seconds).toBeCloseTo((bytes * 63) / 64 / 380e9 + 6 * 5e-6, 9);
    const sparse = groupShape(cluster, 64, 8);
    expect(gatherTime(cluster, sparse, bytes)).toBeCloseTo((bytes * 63) / 64 / 50e9 + 30e-6, 9);
    expect(gatherTime(cluster, groupShape(cluster, 1, 1), bytes)).toBe(0);
  });

  it("send an all-to-all over the node and the network side by side", () => {
    const inside = allToAllTime(cluster, groupShape(cluster, 8, 1), 8e6);
    expect(inside).toBeCloseTo(2e-6 + 7e6 / 380e9, 12);
    const outside = allToAllTime(cluster, groupShape(cluster, 16, 1), 16e6);
    expect(outside).toBeCloseTo(5e-6 + 8e6 / 50e9, 12);
  });

  it("share a node's cards among its ranks", () => {
    expect(networkBandwidth({ ...cluster, cardsPerNode: 4 })).toBe(25e9);
    expect(networkBandwidth(cluster)).toBe(50e9);
  });
});

describe("jitterFactors", () => {
  it("are spread evenly over the range, and a pure function of seed and rank", () => {
    const factors = jitterFactors(4096, { seed: 3 });
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...factors)).toBeLessThan(1.07);
    expect(Math.max(...factors)).toBeGreaterThan(1.069);
    const mean = factors.reduce((a, b) => a + b, 0) / factors.length;
    expect(mean).toBeCloseTo(1.035, 2);
    expect([...jitterFactors(8, { seed: 3 })]).toEqual([...factors.subarray(0, 8)]);
    expect([...jitterFactors(8, { seed: 4 })]).not.toEqual([...factors.subarray(0, 8)]);
    expect([...jitterFactors(2, { spread: 0 })]).toEqual([1, 1]);
  });
});
