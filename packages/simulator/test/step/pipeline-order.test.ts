import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pipelineOrder } from "../../src/step/pipeline-order.js";

const text = (stage: number, stages: number, microSteps: number, parts = 1) =>
  pipelineOrder(stage, stages, microSteps, parts)
    .map(
      ({ forward, microStep, part }) =>
        `${forward ? "F" : "B"}${microStep}${parts > 1 ? `.${part}` : ""}`,
    )
    .join(" ");

describe("pipelineOrder", () => {
  it("is 1F1B", () => {
    expect(text(0, 1, 3)).toBe("F0 B0 F1 B1 F2 B2");
    expect(text(0, 4, 5)).toBe("F0 F1 F2 F3 B0 F4 B1 B2 B3 B4");
    expect(text(3, 4, 3)).toBe("F0 B0 F1 B1 F2 B2");
    expect(text(0, 4, 2)).toBe("F0 F1 B0 B1");
  });

  it("is Megatron's interleaved order", () => {
    expect(text(1, 2, 2, 2)).toBe("F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0");
    expect(text(0, 2, 4, 2)).toBe(
      "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0",
    );
    expect(() => pipelineOrder(0, 4, 6, 2)).toThrow(/multiples of the 4 stages, not 6/);
  });

  it("has every pass once, backward after forward", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(5),
        (stages, groups, parts, stageSeed) => {
          const microSteps = groups * stages;
          const order = pipelineOrder(stageSeed % stages, stages, microSteps, parts);
          const seen = new Set<string>();
          for (const { forward, microStep, part } of order) {
            if (!forward) expect(seen.has(`true ${microStep} ${part}`)).toBe(true);
            seen.add(`${forward} ${microStep} ${part}`);
          }
          expect(seen.size).toBe(2 * microSteps * parts);
          expect(order).toHaveLength(seen.size);
        },
      ),
    );
  });
});
