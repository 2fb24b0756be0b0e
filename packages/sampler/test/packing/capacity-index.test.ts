import fc from "fast-check";
import { expect, test } from "vitest";
import { CapacityIndex } from "../../src/packing/capacity-index.js";

test("finds the least room that is large enough, like a scan of all bins", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 31, 32, 33, 1000, 1023, 1024, 40_000),
      fc.array(fc.tuple(fc.nat(40_000), fc.boolean()), { maxLength: 80 }),
      (largest, steps) => {
        const index = new CapacityIndex(largest, steps.length);
        const open: { bin: number; room: number }[] = [];
        for (const [bin, [value, adds]] of steps.entries()) {
          const size = value % (largest + 1);
          if (adds) {
            index.add(bin, size);
            open.push({ bin, room: size });
            continue;
          }
          const fitting = open.filter(({ room }) => room >= size);
          const least = fitting.length === 0 ? -1 : Math.min(...fitting.map(({ room }) => room));
          expect(index.leastRoom(size)).toBe(least);
          if (least < 0) continue;
          const newest = fitting.filter(({ room }) => room === least).at(-1)!;
          expect(index.take(least)).toBe(newest.bin);
          open.splice(open.indexOf(newest), 1);
        }
        index.clear();
        expect(index.leastRoom(0)).toBe(-1);
      },
    ),
  );
});
