import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addTraffic,
  busiestBytes,
  createTraffic,
  exchangeTime,
  exchangeTimes,
  hardware,
  hardwareByName,
  hardwareLinks,
  type Links,
  matrixRate,
  requireLinks,
  transferTime,
} from "../src/index.js";

const links: Links = [
  { latency: 0, bandwidth: 1000 },
  { latency: 1, bandwidth: 100 },
  { latency: 2, bandwidth: 10 },
  { latency: 3, bandwidth: 5 },
];

describe("links", () => {
  it("take latency + bytes / bandwidth, nothing for no bytes", () => {
    expect(transferTime(links[2], 30)).toBe(5);
    expect(transferTime(links[2], 0)).toBe(0);
  });

  it("an exchange takes the maximum over ranks and directions per class", () => {
    const traffic = createTraffic(3);
    addTraffic(traffic, 0, 1, 1, 300);
    addTraffic(traffic, 2, 1, 1, 200);
    addTraffic(traffic, 0, 2, 2, 40);
    addTraffic(traffic, 1, 0, 3, 10);
    addTraffic(traffic, 1, 1, 0, 5000);
    const { egress, ingress } = busiestBytes(traffic);
    expect([...egress]).toEqual([5000, 300, 40, 10]);
    expect([...ingress]).toEqual([5000, 500, 40, 10]);
    expect([...exchangeTimes(links, traffic)]).toEqual([5, 6, 6, 5]);
    // Both network classes leave through one card.
    expect(exchangeTime(links, traffic)).toBe(11);
  });

  it("sends what it receives, and no more bytes make an exchange faster", () => {
    const rank = fc.nat({ max: 3 });
    const moves = fc.array(fc.tuple(rank, rank, fc.nat({ max: 3 }), fc.nat({ max: 1e6 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(moves, (list) => {
        const traffic = createTraffic(4);
        let previous = 0;
        for (const [source, destination, linkClass, bytes] of list) {
          addTraffic(traffic, source, destination, linkClass, bytes);
          const time = exchangeTime(links, traffic);
          expect(time).toBeGreaterThanOrEqual(previous);
          previous = time;
        }
        const sum = (bytes: Float64Array) => bytes.reduce((total, value) => total + value, 0);
        expect(sum(traffic.sent)).toBe(sum(traffic.received));
      }),
    );
  });

  it("are checked", () => {
    expect(requireLinks(links)).toBe(links);
    expect(() => requireLinks(links.slice(1))).toThrow("four links");
    const broken = [...links.slice(0, 3), { latency: 0, bandwidth: 0 }];
    expect(() => requireLinks(broken)).toThrow("links[3].bandwidth");
  });
});

describe("hardware presets", () => {
  it.each(Object.values(hardware))(
    "$name has nearer links that are faster, and sources",
    (preset) => {
      for (const network of ["infiniband", "roce"] as const) {
        const [self, node, rack, farther] = requireLinks(hardwareLinks(preset, network));
        expect(self.bandwidth).toBeGreaterThan(node.bandwidth);
        expect(node.bandwidth).toBeGreaterThan(rack.bandwidth);
        expect(rack.bandwidth).toBeGreaterThanOrEqual(farther.bandwidth);
        expect(node.latency).toBeLessThan(rack.latency);
      }
      expect(preset.sources.length).toBeGreaterThanOrEqual(3);
      expect(matrixRate(preset, 0.5)).toBe(preset.peak / 2);
    },
  );

  it("are found by name", () => {
    expect(hardwareByName("h200").memoryBytes).toBe(141e9);
    expect(() => hardwareByName("h20")).toThrow("a100, h100, h200, b200");
    expect(() => hardwareLinks(hardware.h100, "ethernet" as never)).toThrow("infiniband, roce");
  });
});
