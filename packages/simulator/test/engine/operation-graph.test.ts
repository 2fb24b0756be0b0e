import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventHeap } from "../../src/engine/event-heap.js";
import { OperationGraph } from "../../src/engine/operation-graph.js";
import { secondsOf, ticksOf } from "../../src/engine/ticks.js";

describe("EventHeap", () => {
  it("gives back times in order, equal times by operation", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 300 }), (times) => {
        const heap = new EventHeap();
        times.forEach((time, operation) => {
          heap.push(time, operation);
        });
        const order = times.map((_, i) => i).sort((a, b) => times[a]! - times[b]! || a - b);
        const popped = times.map(() => heap.pop());
        expect(popped).toEqual(order);
        expect(heap.size).toBe(0);
      }),
    );
  });
});

describe("OperationGraph", () => {
  it("starts an operation after what it waits for, and when its resources are free", () => {
    const graph = new OperationGraph();
    const send = graph.add(5);
    graph.holds(1);
    const compute = graph.add(7);
    graph.holds(0);
    const next = graph.add(2);
    graph.holds(0);
    graph.after(send);
    const meet = graph.add(0);
    graph.after(compute);
    graph.after(next);
    expect(graph.run()).toBe(9);
    expect([send, compute, next, meet].map((o) => graph.start[o])).toEqual([0, 0, 7, 9]);
    expect([send, compute, next, meet].map((o) => graph.end[o])).toEqual([5, 7, 9, 9]);
  });

  it("serves who is ready first, not who was added first", () => {
    const graph = new OperationGraph();
    const slow = graph.add(10);
    const late = graph.add(1);
    graph.after(slow);
    graph.holds(0);
    const early = graph.add(1);
    graph.holds(0);
    graph.run();
    expect(graph.start[early]).toBe(0);
    expect(graph.start[late]).toBe(10);
  });

  it("may be waited for before it is added, and used again after clear", () => {
    const graph = new OperationGraph();
    for (let repeat = 0; repeat < 2; repeat++) {
      graph.clear();
      graph.add(1);
      graph.after(1);
      graph.add(3);
      expect(graph.run()).toBe(4);
    }
  });

  it("refuses a circle and a time whose sums are not exact", () => {
    const graph = new OperationGraph();
    graph.add(1);
    graph.after(1);
    graph.add(1);
    graph.after(0);
    expect(() => graph.run()).toThrow(/waits for itself/);
    graph.clear();
    graph.add(2 ** 53 - 1);
    graph.add(2);
    graph.after(0);
    expect(() => graph.run()).toThrow(/too long to be exact/);
  });

  it("equals the longest path when every operation has its own resource", () => {
    const shape = fc.array(fc.tuple(fc.nat(50), fc.array(fc.nat(1000), { maxLength: 4 })), {
      minLength: 1,
      maxLength: 120,
    });
    fc.assert(
      fc.property(shape, (operations) => {
        const graph = new OperationGraph();
        const ends: number[] = [];
        operations.forEach(([ticks, others], i) => {
          graph.add(ticks);
          graph.holds(i);
          let begin = 0;
          for (const other of others) {
            if (i === 0) continue;
            graph.after(other % i);
            begin = Math.max(begin, ends[other % i]!);
          }
          ends.push(begin + ticks);
        });
        expect(graph.run()).toBe(Math.max(...ends));
        expect([...graph.end.subarray(0, ends.length)]).toEqual(ends);
      }),
    );
  });

  it("never runs two operations on one resource at once, and never idles while one is ready", () => {
    const shape = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(2), fc.nat(1000)), {
      minLength: 2,
      maxLength: 80,
    });
    fc.assert(
      fc.property(shape, (operations) => {
        const graph = new OperationGraph();
        operations.forEach(([ticks, resource, before], i) => {
          graph.add(ticks);
          graph.holds(resource);
          if (i > 0 && before % 3 > 0) graph.after(before % i);
        });
        const last = graph.run();
        for (let resource = 0; resource < 3; resource++) {
          const spans = operations
            .map(([, held], i) => [held, graph.start[i]!, graph.end[i]!] as const)
            .filter(([held]) => held === resource)
            .sort((a, b) => a[1] - b[1]);
          for (let i = 1; i < spans.length; i++) {
            expect(spans[i]![1]).toBeGreaterThanOrEqual(spans[i - 1]![2]);
          }
        }
        expect(last).toBeLessThanOrEqual(operations.reduce((sum, [ticks]) => sum + ticks, 0));
      }),
    );
  });
});

describe("ticks", () => {
  it("are whole picoseconds", () => {
    expect(ticksOf(5e-6)).toBe(5_000_000);
    expect(secondsOf(ticksOf(1.5))).toBe(1.5);
    expect(() => ticksOf(-1)).toThrow(/cannot take/);
    expect(() => ticksOf(Number.POSITIVE_INFINITY)).toThrow(/cannot take/);
  });
});
