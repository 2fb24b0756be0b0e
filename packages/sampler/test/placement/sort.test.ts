import fc from "fast-check";
import { expect, test } from "vitest";
import { descending, descendingLengths } from "../../src/placement/sort.js";
import { plain } from "../helpers.js";

const byHand = (values: ArrayLike<number>) =>
  Array.from(values, (_, i) => i).sort((a, b) => values[b]! - values[a]! || a - b);

test("orders doubles and lengths like a stable comparison sort", () => {
  const double = fc.oneof(fc.nat(3), fc.double({ min: 0, noNaN: true }), fc.maxSafeNat());
  fc.assert(
    fc.property(fc.array(double, { maxLength: 200 }), (list) => {
      const values = Float64Array.from(list, (value) => value + 0);
      expect(plain(descending(values))).toEqual(byHand(values));
    }),
  );
  fc.assert(
    fc.property(fc.uint32Array({ maxLength: 200 }), (lengths) => {
      expect(plain(descendingLengths(lengths))).toEqual(byHand(lengths));
    }),
  );
});
