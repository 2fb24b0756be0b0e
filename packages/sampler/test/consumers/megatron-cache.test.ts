import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type MegatronRewriteOptions,
  rewriteMegatronCache,
} from "../../src/consumers/megatron/rewrite-cache.js";
import { useFormats } from "../sources/formats.js";

const formats = useFormats();
const name = "97f75b0315818e6460e9d719d0ccc312-GPTDataset-train-";
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "libra-megatron-"));
  cpSync(formats.path("megatron_cache"), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const data = () => formats.path("megatron/int32");

/** The numbers of a `.npy` file whose header takes 128 bytes. */
function array(path: string, type: "u4" | "i4" | "i2" | "i8"): number[] {
  const bytes = readFileSync(path).subarray(128);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = Number(type[1]);
  return Array.from({ length: bytes.length / size }, (_, i) => {
    if (type === "u4") return view.getUint32(4 * i, true);
    if (type === "i4") return view.getInt32(4 * i, true);
    return type === "i2" ? view.getInt16(2 * i, true) : Number(view.getBigInt64(8 * i, true));
  });
}

function npy(descr: string, values: readonly number[]): Buffer {
  const size = Number(descr[2]);
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${values.length},), }`;
  const head = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`, "latin1");
  const body = Buffer.alloc(values.length * size);
  values.forEach((value, i) => {
    if (size === 8) body.writeBigInt64LE(BigInt(value), 8 * i);
    else if (size === 4) body.writeUInt32LE(value, 4 * i);
    else body.writeInt16LE(value, 2 * i);
  });
  return Buffer.concat([head, body]);
}

/**
 * What GPTDataset returns for entry `index`, as gpt_dataset.py reads it: the tokens (without the extra
 * one) and, of each document in them, how many.
 */
function sample(prefix: string, index: number): { tokens: number[]; documents: number[] } {
  const documents = array(`${prefix}document_index.npy`, "i4");
  const samples = array(`${prefix}sample_index.npy`, "i4");
  const lengths = formats.lengths;
  const id = array(`${prefix}shuffle_index.npy`, "u4")[index]!;
  const [first, from, last, to] = samples.slice(2 * id, 2 * id + 4) as [
    number,
    number,
    number,
    number,
  ];
  const tokens: number[] = [];
  const counts: number[] = [];
  for (let i = first; i <= last; i++) {
    const document = documents[i];
    if (document === undefined) break;
    const end = i === last ? to : lengths[document]!;
    const start = i === first ? from : 0;
    if (end > start) counts.push(end - start);
    for (let t = start; t < end; t++) {
      const isLast = t === lengths[document]! - 1;
      tokens.push(isLast ? 151643 : (document * 7919 + t * 31) % 50000);
    }
  }
  return { tokens, documents: counts };
}

const pairs = ({ documents }: { documents: number[] }) =>
  documents.reduce((sum, length) => sum + (length * (length + 1)) / 2, 0);

/** Gives each of four replicas samples of its own weight: the first the lightest of all. */
function uneven(path: string, prefix: string): void {
  const order = array(path, "u4");
  const work = order.map((_, i) => pairs(sample(prefix, i)));
  const sorted = order.map((_, i) => i).sort((a, b) => work[a]! - work[b]!);
  const dealt = Array.from({ length: 44 }, (_, i) => order[sorted[(i % 4) * 11 + (i >> 2)]!]!);
  writeFileSync(path, npy("<u4", dealt));
}

async function failure(options: Partial<MegatronRewriteOptions>): Promise<LibraError> {
  const named = options.dataRoot === undefined ? { data: data() } : {};
  const error = await rewriteMegatronCache({ cache: folder, ...named, dp: 4, ...options }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LibraError);
  expect(readdirSync(folder).filter((file) => /partial|before-libra/.test(file))).toEqual([]);
  return error as LibraError;
}

describe("rewriting shuffle_index.npy", () => {
  it("moves samples inside their global batches, to where work is even", async () => {
    const path = join(folder, `${name}shuffle_index.npy`);
    const prefix = join(folder, name);
    uneven(path, prefix);
    const old = readFileSync(path);
    const before = array(path, "u4");
    const oldSamples = before.map((_, i) => sample(prefix, i));
    const report = await rewriteMegatronCache({
      cache: folder,
      data: data(),
      dp: 4,
      microSteps: 5,
    });
    expect(report).toMatchObject({
      kind: "single",
      samples: 44,
      window: 128,
      globalBatch: 20,
      batches: 2,
      left: 4,
      written: [path],
      kept: [`${path}.before-libra`],
    });
    const after = array(path, "u4");
    for (const [from, to] of [
      [0, 20],
      [20, 40],
    ] as const) {
      expect(after.slice(from, to).toSorted()).toEqual(before.slice(from, to).toSorted());
    }
    expect(after.slice(40)).toEqual(before.slice(40));
    expect(after).not.toEqual(before);
    expect(readFileSync(`${path}.before-libra`)).toEqual(old);
    // What the data set now returns at each index is the sample that the order names, whole.
    after.forEach((id, i) => {
      expect(sample(prefix, i)).toEqual(oldSamples[before.indexOf(id)]);
      expect(sample(prefix, i).tokens).toHaveLength(128);
    });
    // Slot = microStep · dp + replica, so a replica's work is every fourth sample of the batch.
    const work = [0, 1, 2, 3].map((replica) =>
      [0, 1, 2, 3, 4].reduce((sum, m) => sum + pairs(sample(prefix, 4 * m + replica)), 0),
    );
    const skew = (4 * Math.max(...work)) / work.reduce((a, b) => a + b, 0);
    expect(skew).toBeLessThanOrEqual(report.after.worst + 1e-12);
    expect(report.after.mean).toBeLessThan(report.before.mean);
    expect(report.bound.mean).toBeLessThanOrEqual(report.after.mean + 1e-12);
    const record = JSON.parse(readFileSync(`${prefix}libra.json`, "utf8"));
    expect(record.configuration).toMatchObject({ dp: 4, microSteps: 5, microBatch: 1 });
  });

  it("starts every rewrite from Megatron's order", async () => {
    const path = join(folder, `${name}shuffle_index.npy`);
    const original = array(path, "u4");
    await rewriteMegatronCache({ cache: folder, data: data(), dp: 4, microSteps: 2 });
    await rewriteMegatronCache({
      cache: path,
      data: `${data()}.idx`,
      dp: 2,
      microBatch: 3,
      poolSize: 2,
    });
    const twice = readFileSync(path);
    cpSync(`${path}.before-libra`, path);
    expect(array(path, "u4")).toEqual(original);
    rmSync(`${path}.before-libra`);
    await rewriteMegatronCache({ cache: folder, data: data(), dp: 2, microBatch: 3, poolSize: 2 });
    expect(readFileSync(path)).toEqual(twice);
  });

  it("keeps the order of consumed samples, also when dp changes", async () => {
    const path = join(folder, `${name}shuffle_index.npy`);
    uneven(path, join(folder, name));
    const original = array(path, "u4");
    await rewriteMegatronCache({ cache: folder, data: data(), dp: 4, microSteps: 2 });
    const first = array(path, "u4");
    await rewriteMegatronCache({ cache: folder, data: data(), dp: 5, consumedSamples: 16 });
    const second = array(path, "u4");
    expect(second.slice(0, 16)).toEqual(first.slice(0, 16));
    for (let from = 16; from + 5 <= 44; from += 5) {
      const batch = (order: number[]) => order.slice(from, from + 5).toSorted();
      expect(batch(second)).toEqual(batch(original));
    }
    const differs = (count: number) =>
      second.slice(0, count).some((id) => !original.slice(0, count).includes(id));
    const consumedSamples = second.findIndex((_, i) => differs(i));
    const unaligned = rewriteMegatronCache({ cache: folder, data: data(), dp: 5, consumedSamples });
    await expect(unaligned).rejects.toThrow("are not whole global batches of the order it has now");
  });

  it("writes nothing when only asked what it would do", async () => {
    const files = readdirSync(folder);
    const report = await rewriteMegatronCache({ cache: folder, data: data(), dp: 4, dryRun: true });
    expect(report).toMatchObject({ batches: 11, written: [], kept: [] });
    expect(readdirSync(folder)).toEqual(files);
  });
});

describe("blends", () => {
  const blend = "0123-BlendedDataset-train-";
  const other = "4567-GPTDataset-train-";

  beforeEach(() => {
    for (const file of readdirSync(folder)) {
      cpSync(join(folder, file), join(folder, file.replace(name, other)));
    }
    const description = JSON.parse(readFileSync(join(folder, `${name}description.txt`), "utf8"));
    const second = { ...description, dataset_path: "formats/megatron/uint16" };
    writeFileSync(join(folder, `${other}description.txt`), JSON.stringify(second));
    const datasets = [description, second];
    const whole = JSON.stringify({
      class: "BlendedDataset",
      datasets,
      weights: [0.5, 0.5],
      size: 60,
    });
    writeFileSync(join(folder, `${blend}description.txt`), whole);
    const index = Array.from({ length: 60 }, (_, i) => i % 2);
    const samples = Array.from({ length: 60 }, (_, i) => i % 44);
    for (const member of [name, other]) {
      uneven(join(folder, `${member}shuffle_index.npy`), join(folder, member));
    }
    writeFileSync(join(folder, `${blend}dataset_index.npy`), npy("<i2", index));
    writeFileSync(join(folder, `${blend}dataset_sample_index.npy`), npy("<i8", samples));
  });

  const dataRoot = () => {
    const root = join(folder, "root");
    cpSync(formats.path("megatron"), join(root, "formats/megatron"), { recursive: true });
    return root;
  };
  const entries = () => {
    const index = array(join(folder, `${blend}dataset_index.npy`), "i2");
    const samples = array(join(folder, `${blend}dataset_sample_index.npy`), "i8");
    return index.map((dataset, i) => `${dataset}:${samples[i]}`);
  };

  it("permutes both arrays alike and leaves the members' caches alone", async () => {
    const before = entries();
    const shuffles = [name, other].map((prefix) =>
      readFileSync(join(folder, `${prefix}shuffle_index.npy`)),
    );
    const report = await rewriteMegatronCache({
      cache: folder,
      dataRoot: dataRoot(),
      dp: 4,
      microSteps: 4,
    });
    expect(report).toMatchObject({ kind: "blended", samples: 60, batches: 3, left: 12 });
    expect(report.written).toHaveLength(2);
    expect(report.after.mean).toBeLessThan(report.before.mean);
    const after = entries();
    expect(after).not.toEqual(before);
    for (let from = 0; from < 48; from += 16) {
      const batch = (order: string[]) => order.slice(from, from + 16).toSorted();
      expect(batch(after)).toEqual(batch(before));
    }
    expect(after.slice(48)).toEqual(before.slice(48));
    [name, other].forEach((prefix, i) => {
      expect(readFileSync(join(folder, `${prefix}shuffle_index.npy`))).toEqual(shuffles[i]);
    });
  });

  it("refuses a blend whose member has no cache or whose entries do not exist", async () => {
    const root = dataRoot();
    writeFileSync(
      join(folder, `${blend}dataset_sample_index.npy`),
      npy("<i8", new Array(60).fill(50)),
    );
    expect((await failure({ dataRoot: root })).message).toContain("names sample 50 of data set 0");
    rmSync(join(folder, `${other}description.txt`));
    const error = await failure({ dataRoot: root });
    expect(error.message).toContain("the cache of formats/megatron/uint16 in the same folder");
  });
});

describe("refusals leave everything as it was", () => {
  it("refuses arrays that do not fit each other", async () => {
    const path = join(folder, `${name}shuffle_index.npy`);
    const values = array(path, "u4");
    writeFileSync(path, npy("<u4", values.slice(1)));
    expect((await failure({})).message).toContain("shuffle_index has 43 entries for 44 samples");
    writeFileSync(path, npy("<u4", [values[1]!, ...values.slice(1)]));
    expect((await failure({})).message).toContain("it is no permutation: entry 1");
    writeFileSync(path, npy("<u4", values));
    const documents = join(folder, `${name}document_index.npy`);
    writeFileSync(
      documents,
      npy(
        "<u4",
        array(documents, "i4").map((id) => id + 5),
      ),
    );
    expect((await failure({})).message).toContain("int32 has 12");
    cpSync(formats.path(`megatron_cache/${name}document_index.npy`), documents);
    writeFileSync(documents, npy("<u4", array(documents, "i4").reverse()));
    expect((await failure({})).message).toContain("the cache was built from other data");
  });

  it("refuses what cannot gain or would not read the order", async () => {
    const words = (text: string) => ({ trainingArguments: text.split(" ") });
    const cyclic = await failure(words("--dataloader-type cyclic"));
    expect(cyclic.code).toBe("UNSUPPORTED");
    expect(cyclic.message).toContain("Train with --dataloader-type single");
    const ramp = await failure(words("--rampup-batch-size 16 16 1000 --reset-attention-mask"));
    expect(ramp.message).toContain("--rampup-batch-size changes the global batch");
    const whole = await failure(words("--seq-length 128 --micro-batch-size 1"));
    expect(whole.message).toContain("every window costs the same and Libra brings nothing");
    const size = await failure(words("--reset-attention-mask --global-batch-size 8"));
    expect(size.message).toContain("--global-batch-size is 8, but dp, microSteps, microBatch");
    const good = words("--reset-attention-mask --global-batch-size=4 --seq-length 128");
    await rewriteMegatronCache({ cache: folder, data: data(), dp: 4, ...good });
    expect(existsSync(join(folder, `${name}shuffle_index.npy.before-libra`))).toBe(true);
  });

  it("says when there is no cache, no data, too few samples", async () => {
    expect((await failure({ cache: formats.path("npy") })).message).toContain(
      "run the training once",
    );
    expect((await failure({ data: join(folder, "nothing") })).message).toContain("no such file");
    const elsewhere = await failure({ dataRoot: join(folder, "elsewhere") });
    expect(elsewhere.message).toMatch(/description\.txt: expected its dataset_path .*elsewhere/);
    expect(elsewhere.message).toContain("name the .idx with data (--data)");
    expect((await failure({ dp: 45 })).message).toContain(
      "44 samples do not fill a global batch of 45",
    );
    expect((await failure({ dp: 4, poolSize: 3 })).message).toContain("valid: 1, 2, 4");
  });
});
