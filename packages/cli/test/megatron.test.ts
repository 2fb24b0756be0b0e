import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();
const window = 64;
// One document fills a window or eight share it, in turn: replica 0 of 4 draws every heavy sample.
const lengths = Array.from({ length: 24 }, (_, i) =>
  i % 4 === 0 ? [64] : new Array(8).fill(8),
).flat();
lengths.push(8);

beforeAll(() => {
  mkdirSync(file("cache"));
  const count = lengths.length;
  const index = Buffer.alloc(34 + 12 * count + 8 * (count + 1));
  index.write("MMIDIDX\0\0", "latin1");
  index.writeBigUInt64LE(1n, 9);
  index.writeUInt8(8, 17);
  index.writeBigUInt64LE(BigInt(count), 18);
  index.writeBigUInt64LE(BigInt(count + 1), 26);
  lengths.forEach((length, i) => {
    index.writeInt32LE(length, 34 + 4 * i);
    index.writeBigInt64LE(BigInt(i + 1), 34 + 12 * count + 8 * (i + 1));
  });
  writeFileSync(file("data.idx"), index);
  const samples: number[] = [];
  for (let sample = 0, document = 0, token = 0; sample <= 24; sample++) {
    samples.push(document, 0);
    for (const end = token + window; token < end && document < count; document++)
      token += lengths[document]!;
  }
  const description = { class: "GPTDataset", dataset_path: "data", sequence_length: window };
  writeFileSync(file("cache/a-GPTDataset-train-description.txt"), JSON.stringify(description));
  npy("document_index", "<i4", `(${count},)`, [...lengths.keys()]);
  npy("sample_index", "<i4", "(25, 2)", samples);
  npy("shuffle_index", "<u4", "(24,)", [...new Array(24).keys()]);
});

function npy(name: string, type: string, shape: string, values: number[]): void {
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': ${shape}, }`;
  const head = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`, "latin1");
  const body = Buffer.from(Int32Array.from(values).buffer);
  writeFileSync(file(`cache/a-GPTDataset-train-${name}.npy`), Buffer.concat([head, body]));
}

describe("libra plan --megatron-cache", () => {
  const words = () => [
    "plan",
    "--megatron-cache",
    file("cache"),
    "--data-root",
    file("."),
    "--dp",
    "4",
  ];
  const kept = () => existsSync(file("cache/a-GPTDataset-train-shuffle_index.npy.before-libra"));

  it("reports without writing, then writes", async () => {
    const looked = await run([...words(), "--micro-steps", "3", "--dry-run", "--json"]);
    const report = JSON.parse(looked.out);
    expect(report).toMatchObject({ samples: 24, globalBatch: 12, batches: 2, written: [] });
    expect(report.after.mean).toBeLessThan(report.before.mean);
    expect(looked.error).toContain("put Megatron's arguments after --");
    expect(kept()).toBe(false);
    const training = ["--", "--reset-attention-mask", "--global-batch-size", "12"];
    const done = await run([...words(), "--micro-steps", "3", ...training]);
    expect(done).toMatchObject({ code: 0, error: "" });
    expect(done.out).toContain("before-libra");
    expect(kept()).toBe(true);
    const record = JSON.parse(readFileSync(file("cache/a-GPTDataset-train-libra.json"), "utf8"));
    expect(record.after).toEqual(report.after);
  });

  it("refuses a training that cannot gain", async () => {
    const { code, error } = await run([...words(), "--", "--seq-length", "64"]);
    expect(code).toBe(1);
    expect(error).toContain("every window costs the same and Libra brings nothing");
  });
});
