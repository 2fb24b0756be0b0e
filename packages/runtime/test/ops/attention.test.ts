import { describe, expect, it } from "vitest";
import {
  attentionBackward,
  attentionDelta,
  attentionForward,
  launchLocal,
  mergePartials,
} from "../../src/index.js";
import { dot, gradient } from "../support/finite-difference.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";
import * as reference from "../support/reference.js";

const [rows, keys, headDim, valueDim] = [3, 5, 4, 6];
const scale = 0.5;
const sizes = { scale, headDim, valueDim };
const q = numbers(rows * headDim, 1);
const k = numbers(keys * headDim, 2);
const v = numbers(keys * valueDim, 3);
const dOut = numbers(rows * valueDim, 4);

function segmentsOf(causal: boolean, keyCount = keys, rowCount = rows) {
  const one = (value: number): Int32Array => Int32Array.of(value);
  return {
    count: 1,
    ...{ queryOffset: one(0), queryStride: one(1), heads: one(1), rows: one(rowCount) },
    ...{ keyOffset: one(0), keyStride: one(1), keys: one(keyCount), causal: one(causal ? 1 : 0) },
  };
}

describe("attention", () => {
  for (const causal of [true, false]) {
    it(`agrees with float64, ${causal ? "causal" : "full"}`, async () => {
      const segments = segmentsOf(causal);
      const got = await onOneRank((stream, device) => {
        const inputs = {
          q: device.fromArray(q, [rows, headDim]),
          k: device.fromArray(k, [keys, headDim]),
          v: device.fromArray(v, [keys, valueDim]),
        };
        const out = device.empty([rows, valueDim]);
        const logSumExp = device.empty([rows]);
        attentionForward(stream, { ...inputs, out, logSumExp, segments, ...sizes });
        const given = device.fromArray(dOut, [rows, valueDim]);
        const delta = device.empty([rows]);
        attentionDelta(stream, { out, dOut: given, delta });
        const gradients = {
          dq: device.zeros([rows, headDim]),
          dk: device.zeros([keys, headDim]),
          dv: device.zeros([keys, valueDim]),
        };
        attentionBackward(stream, {
          ...{ ...inputs, dOut: given, logSumExp, delta, ...gradients },
          ...{ segments, ...sizes },
        });
        return { out, logSumExp, ...gradients };
      });
      const shape = { headDim, valueDim, scale, causal };
      const want = reference.attention([...q], [...k], [...v], shape);
      expect(distance(got.out, want.out)).toBeLessThan(2e-6);
      expect(distance(got.logSumExp, want.logSumExp)).toBeLessThan(2e-6);
      const loss = (a: number[], b: number[], c: number[]): number =>
        dot(reference.attention(a, b, c, shape).out, dOut);
      const [x, y, z] = [[...q], [...k], [...v]];
      expect(
        distance(
          got.dq,
          gradient((t) => loss([...t], y, z), x),
        ),
      ).toBeLessThan(1e-5);
      expect(
        distance(
          got.dk,
          gradient((t) => loss(x, [...t], z), y),
        ),
      ).toBeLessThan(1e-5);
      expect(
        distance(
          got.dv,
          gradient((t) => loss(x, y, [...t]), z),
        ),
      ).toBeLessThan(1e-5);
    });
  }

  it("agrees with float64 on bfloat16 tensors and refuses mixtures", async () => {
    const segments = segmentsOf(true);
    const got = await onOneRank((stream, device) => {
      const tensor = (values: Float32Array, size: number) =>
        device.fromArray(values, [values.length / size, size], "bfloat16");
      const inputs = { q: tensor(q, headDim), k: tensor(k, headDim), v: tensor(v, valueDim) };
      const out = device.empty([rows, valueDim], "bfloat16");
      const logSumExp = device.empty([rows]);
      attentionForward(stream, { ...inputs, out, logSumExp, segments, ...sizes });
      const given = tensor(dOut, valueDim);
      const delta = device.empty([rows]);
      attentionDelta(stream, { out, dOut: given, delta });
      const gradients = {
        dq: device.zeros([rows, headDim]),
        dk: device.zeros([keys, headDim]),
        dv: device.zeros([keys, valueDim]),
      };
      attentionBackward(stream, {
        ...{ ...inputs, dOut: given, logSumExp, delta, ...gradients },
        ...{ segments, ...sizes },
      });
      const wide = device.zeros([keys, headDim]);
      expect(() =>
        attentionForward(stream, { ...inputs, k: wide, out, logSumExp, segments, ...sizes }),
      ).toThrow(
        "Expected a tensor of bfloat16 (as q) for k of attentionForward but received float32",
      );
      expect(() => attentionDelta(stream, { out, dOut: device.zeros(out.shape), delta })).toThrow(
        "Expected a tensor of bfloat16 (as out) for dOut of attentionDelta but received float32",
      );
      return { ...inputs, given, out, logSumExp, ...gradients };
    });
    const shape = { headDim, valueDim, scale, causal: true };
    const [x, y, z] = [got.q!, got.k!, got.v!];
    const want = reference.attention(x, y, z, shape);
    const loss = (a: number[], b: number[], c: number[]): number =>
      dot(reference.attention(a, b, c, shape).out, got.given!);
    expect(distance(got.out, want.out)).toBeLessThan(2 ** -7);
    expect(distance(got.logSumExp, want.logSumExp)).toBeLessThan(2 ** -7);
    const slopes = {
      dq: gradient((t) => loss([...t], y, z), x),
      dk: gradient((t) => loss(x, [...t], z), y),
      dv: gradient((t) => loss(x, y, [...t]), z),
    };
    for (const name of ["dq", "dk", "dv"] as const) {
      expect(distance(got[name], slopes[name])).toBeLessThan(2 ** -6);
    }
  });

  it("merges halves of the keys; rows without keys give 0 and −∞", async () => {
    const got = await onOneRank((stream, device) => {
      const query = device.fromArray(q, [rows, headDim]);
      const [key, value] = [
        device.fromArray(k, [keys, headDim]),
        device.fromArray(v, [keys, valueDim]),
      ];
      const part = (start: number, end: number) => {
        const out = device.empty([rows, valueDim]);
        const logSumExp = device.empty([rows]);
        const segments = segmentsOf(false, end - start);
        const range = { k: key.slice(start, end), v: value.slice(start, end) };
        attentionForward(stream, { q: query, ...range, out, logSumExp, segments, ...sizes });
        return { out, logSumExp };
      };
      const none = part(2, 2);
      const merged = part(0, 2);
      const { out: partial, logSumExp: partialLogSumExp } = part(2, keys);
      mergePartials(stream, { partial: none.out, partialLogSumExp: none.logSumExp, ...merged });
      mergePartials(stream, { partial, partialLogSumExp, ...merged });
      return { out: merged.out, empty: none.out, emptyLogSumExp: none.logSumExp };
    });
    const want = reference.attention([...q], [...k], [...v], { ...sizes, causal: false });
    expect(distance(got.out, want.out)).toBeLessThan(2e-6);
    expect(got.empty).toEqual(new Array(rows * valueDim).fill(0));
    expect(got.emptyLogSumExp).toEqual(new Array(rows).fill(Number.NEGATIVE_INFINITY));
  });

  it("refuses segments outside the tensors and head dims out of range", async () => {
    await launchLocal(1, async (rank) => {
      const stream = rank.stream("compute");
      const tensor = (count: number) => rank.device.zeros([count]);
      const call =
        (segments: ReturnType<typeof segmentsOf>, dim = headDim) =>
        () =>
          attentionForward(stream, {
            ...{ q: tensor(rows * dim), k: tensor(keys * dim), v: tensor(keys * valueDim) },
            ...{ out: tensor(rows * valueDim), logSumExp: tensor(rows) },
            ...{ segments, scale, headDim: dim, valueDim },
          });
      expect(call(segmentsOf(true, keys + 1))).toThrow(/Expected 96 bytes for k but received 80/);
      expect(call(segmentsOf(true), 257)).toThrow(
        "Expected an integer from 1 to 256 for headDim of attentionForward but received 257",
      );
      expect(call({ ...segmentsOf(true), count: 2 })).toThrow(
        "Expected 2 entries (count) for segments.queryOffset but received 1",
      );
    });
  });
});
