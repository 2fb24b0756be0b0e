import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { xxh64, xxh64Bytes } from "../src/index.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

// A second formulation, straight from the specification, with BigInt.
function reference(bytes: Uint8Array, seed: bigint): string {
  const mask = (1n << 64n) - 1n;
  const p1 = 0x9e3779b185ebca87n;
  const p2 = 0xc2b2ae3d27d4eb4fn;
  const p3 = 0x165667b19e3779f9n;
  const p4 = 0x85ebca77c2b2ae63n;
  const p5 = 0x27d4eb2f165667c5n;
  const rotate = (x: bigint, r: bigint) => ((x << r) | (x >> (64n - r))) & mask;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const round = (acc: bigint, word: bigint) => (rotate((acc + word * p2) & mask, 31n) * p1) & mask;
  let at = 0;
  let hash: bigint;
  if (bytes.length >= 32) {
    const acc = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) acc[i] = round(acc[i]!, view.getBigUint64(at + i * 8, true));
    }
    hash =
      (rotate(acc[0]!, 1n) + rotate(acc[1]!, 7n) + rotate(acc[2]!, 12n) + rotate(acc[3]!, 18n)) &
      mask;
    for (const value of acc) hash = ((hash ^ round(0n, value)) * p1 + p4) & mask;
  } else {
    hash = (seed + p5) & mask;
  }
  hash = (hash + BigInt(bytes.length)) & mask;
  for (; at + 8 <= bytes.length; at += 8) {
    hash = (rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * p1 + p4) & mask;
  }
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * p1) & mask), 23n) * p2 + p3) & mask;
    at += 4;
  }
  for (; at < bytes.length; at++) {
    hash = (rotate(hash ^ ((BigInt(bytes[at]!) * p5) & mask), 11n) * p1) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * p2) & mask;
  hash = ((hash ^ (hash >> 29n)) * p3) & mask;
  return (hash ^ (hash >> 32n)).toString(16).padStart(16, "0");
}

describe("xxh64", () => {
  it("equals the published vectors", () => {
    expect(xxh64Bytes(bytesOf(""))).toBe("ef46db3751d8e999");
    expect(xxh64Bytes(bytesOf("a"))).toBe("d24ec4f1a98c6e5b");
    expect(xxh64Bytes(bytesOf("abc"))).toBe("44bc2cf5ad770999");
    expect(xxh64([])).toBe("ef46db3751d8e999");
  });

  it("equals the reference implementation's sanity vectors", () => {
    // tests/sanity_test_vectors.h of xxHash: bytes out of this generator, seeds 0 and PRIME32.
    const prime32 = 2654435761n;
    const prime64 = 11400714785074694797n;
    const buffer = new Uint8Array(222);
    let generator = prime32;
    for (let i = 0; i < buffer.length; i++) {
      buffer[i] = Number(generator >> 56n);
      generator = (generator * prime64) & ((1n << 64n) - 1n);
    }
    const vectors: [length: number, seed: number, hash: string][] = [
      [0, 0, "ef46db3751d8e999"],
      [0, 2654435761, "ac75fda2929b17ef"],
      [1, 0, "e934a84adb052768"],
      [1, 2654435761, "5014607643a9b4c3"],
      [4, 0, "9136a0dca57457ee"],
      [14, 0, "8282dcc4994e35c8"],
      [14, 2654435761, "c3bd6bf63deb6df0"],
      [222, 0, "b641ae8cb691c174"],
      [222, 2654435761, "20cb8ab7ae10c14a"],
    ];
    for (const [length, seed, hash] of vectors) {
      expect(xxh64Bytes(buffer.subarray(0, length), seed), `${length}/${seed}`).toBe(hash);
    }
  });

  it("equals a BigInt formulation for any bytes, offset and seed", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat({ max: 7 }),
        fc.maxSafeNat(),
        (bytes, skip, seed) => {
          const input = bytes.subarray(Math.min(skip, bytes.length));
          expect(xxh64Bytes(input, seed)).toBe(reference(input, BigInt(seed)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("hashes columns as length and little-endian bytes", () => {
    const columns = [Int32Array.of(1, -2), Uint8Array.of(7), Float64Array.of(0.5)];
    const flat: number[] = [];
    for (const column of columns) {
      flat.push(column.byteLength, 0, 0, 0, 0, 0, 0, 0);
      flat.push(...new Uint8Array(column.buffer));
    }
    expect(xxh64(columns, 5)).toBe(reference(Uint8Array.from(flat), 5n));
    expect(xxh64([Int32Array.of(1, 2), Int32Array.of(3)])).not.toBe(
      xxh64([Int32Array.of(1), Int32Array.of(2, 3)]),
    );
  });

  it("hashes several megabytes in tens of milliseconds", () => {
    const column = new Int32Array(2 ** 20).map((_, i) => i * 2654435761);
    xxh64([column.subarray(0, 4096)]);
    const start = performance.now();
    xxh64([column]);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it("refuses a seed that is no natural number", () => {
    expect(() => xxh64([], -1)).toThrow("Expected a non-negative integer for seed but received -1");
    expect(() => xxh64([], 0.5)).toThrow("seed");
  });
});
