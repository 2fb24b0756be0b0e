import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSafetensors } from "../../src/files/safetensors-read.js";
import { writeSafetensors } from "../../src/files/safetensors-write.js";
import { temporaryFolder } from "../support/folder.js";

function written(): { folder: string; path: string } {
  const folder = temporaryFolder();
  const path = join(folder, "model.safetensors");
  const tensors = new Map([
    ["a.weight", { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) }],
    ["steps", { shape: [2], data: Int32Array.of(7, -8) }],
    ["exact", { shape: [1], data: Float64Array.of(Math.PI) }],
    ["nothing", { shape: [0, 4], data: new Float32Array(0) }],
  ]);
  writeSafetensors(path, tensors, { format: "pt", step: "3" });
  return { folder, path };
}

/** A file with this header text and so many bytes of tensors. */
function withHeader(header: unknown, bytes: number): string {
  const path = join(temporaryFolder(), "x.safetensors");
  const text = typeof header === "string" ? header : JSON.stringify(header);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
  writeFileSync(path, Buffer.concat([length, Buffer.from(text), Buffer.alloc(bytes, 1)]));
  return path;
}

describe("a safetensors file", () => {
  it("comes back as it was written", () => {
    const file = openSafetensors(written().path);
    expect(file.header.metadata).toEqual({ format: "pt", step: "3" });
    expect([...file.header.tensors.keys()]).toEqual(["a.weight", "steps", "exact", "nothing"]);
    expect(file.read("a.weight", [2, 3]).data).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6));
    expect(file.read("steps").data).toEqual(Int32Array.of(7, -8));
    expect(file.read("exact").data).toEqual(Float64Array.of(Math.PI));
    expect(file.read("nothing").shape).toEqual([0, 4]);
    file.close();
  });

  it("has its tensors at a multiple of 8 bytes, where the reference reader maps them", () => {
    const bytes = readFileSync(written().path);
    expect(Number(bytes.readBigUInt64LE(0)) % 8).toBe(0);
  });

  it("widens bfloat16, float16 and int64", () => {
    const path = join(temporaryFolder(), "x.safetensors");
    const header = JSON.stringify({
      b: { dtype: "BF16", shape: [2], data_offsets: [0, 4] },
      h: { dtype: "F16", shape: [4], data_offsets: [4, 12] },
      i: { dtype: "I64", shape: [1], data_offsets: [12, 20] },
    });
    const body = Buffer.alloc(20);
    body.writeUInt16LE(0x3f80, 0); // 1
    body.writeUInt16LE(0xc040, 2); // −3
    body.writeUInt16LE(0x3c00, 4); // 1
    body.writeUInt16LE(0xc500, 6); // −5
    body.writeUInt16LE(0x0001, 8); // least subnormal
    body.writeUInt16LE(0x7c00, 10); // infinity
    body.writeBigInt64LE(-9n, 12);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    writeFileSync(path, Buffer.concat([length, Buffer.from(header), body]));
    const file = openSafetensors(path);
    expect([...file.read("b").data]).toEqual([1, -3]);
    expect([...file.read("h").data]).toEqual([1, -5, 2 ** -24, Number.POSITIVE_INFINITY]);
    expect([...file.read("i").data]).toEqual([-9]);
    file.close();
  });

  it("leaves no file behind when writing fails", () => {
    const folder = temporaryFolder();
    const tensors = new Map([["a", { shape: [3], data: Float32Array.of(1) }]]);
    expect(() => writeSafetensors(join(folder, "m.safetensors"), tensors)).toThrow(
      /Expected 3 values \(\[3\]\) for a but received 1/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a damaged safetensors file", () => {
  const opened = (path: string) => () => openSafetensors(path);

  it("is named when it is missing", () => {
    expect(opened("/nowhere/model.safetensors")).toThrow(
      /Cannot open \/nowhere\/model.safetensors/,
    );
  });

  it("that is empty or has no whole length field is refused", () => {
    const path = join(temporaryFolder(), "x.safetensors");
    writeFileSync(path, "abc");
    expect(opened(path)).toThrow(/has 3 bytes, its first field alone needs 8/);
  });

  it("that is cut inside a tensor names the tensor and its bytes", () => {
    const { path } = written();
    const size = readFileSync(path).byteLength;
    truncateSync(path, size - 4);
    expect(opened(path)).toThrow(
      new RegExp(`tensor exact lies in bytes ${size - 8}–${size}, the file has ${size - 4} bytes`),
    );
  });

  it("with an impossible header length names the bytes", () => {
    const { path } = written();
    const bytes = readFileSync(path);
    bytes.writeBigUInt64LE(2n ** 62n);
    writeFileSync(path, bytes);
    expect(opened(path)).toThrow(/bytes 0–8 give a header of 4611686018427387904 bytes/);
  });

  it.each([
    ["no JSON", "{oops", 0, /bytes 8–13 are no JSON header/],
    ["no object", "[1]", 0, /is no JSON object/],
    [
      "a strange type",
      { a: { dtype: "F8_E4M3", shape: [1], data_offsets: [0, 1] } },
      1,
      /tensor a is of type F8_E4M3; readable types: F64, F32/,
    ],
    [
      "no offsets",
      { a: { dtype: "F32", shape: [1] } },
      4,
      /tensor a has no dtype, shape and data_offsets/,
    ],
    [
      "the wrong size",
      { a: { dtype: "F32", shape: [3], data_offsets: [0, 8] } },
      8,
      /tensor a lies in bytes 62–70, but F32 \[3\] needs 12 bytes/,
    ],
    [
      "an overlap",
      {
        a: { dtype: "F32", shape: [2], data_offsets: [0, 8] },
        b: { dtype: "F32", shape: [2], data_offsets: [4, 12] },
      },
      12,
      /tensor b in bytes \d+–\d+ overlaps a in bytes/,
    ],
    [
      "offsets that run backwards",
      { a: { dtype: "F32", shape: [1], data_offsets: [4, 0] } },
      4,
      /tensor a lies in bytes/,
    ],
  ])("with %s is refused", (_, header, bytes, message) => {
    expect(opened(withHeader(header, bytes))).toThrow(message);
  });

  it("says which tensor is missing or has another shape", () => {
    const file = openSafetensors(written().path);
    expect(() => file.read("b.weight")).toThrow(
      /tensor b.weight is missing; the file holds 4 tensors/,
    );
    expect(() => file.read("a.weight", [3, 2])).toThrow(
      /tensor a.weight has shape \[2, 3\], the model needs \[3, 2\]/,
    );
    file.close();
  });
});
