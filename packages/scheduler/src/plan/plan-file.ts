import { LibraError, xxh64Bytes } from "@libra/base";
import type { AttentionHeads } from "@libra/cost-model";
import { customRows, type NodeLayout, type OwnedRows } from "@libra/topology";
import { type TilePlan, tileColumns } from "./tile-plan.js";

/**
 * The plan file: 8 bytes "LIBRATIL", version (u32), header length H (u32), H bytes of JSON (UTF-8,
 * padded with spaces so that 16 + H is a multiple of 8), then the columns that the header lists, each
 * at its offset from byte 16 + H, little-endian, padded to 8 bytes. The header's `hash` is the XXH64
 * of all bytes after it.
 */
const magic = "LIBRATIL";
const version = 1;
const preamble = 16;

interface ColumnEntry {
  name: string;
  type: "i32" | "f64";
  offset: number;
  length: number;
}

interface Header {
  hash: string;
  planner: string;
  workers: number;
  cp: number;
  poolSize: number;
  heads: AttentionHeads;
  chunks: number;
  nodes: NodeLayout;
  keyRanges: boolean;
  tolerance: number;
  total: number;
  workerSkew: number;
  bound: number;
  moved: number;
  leastMoved: number;
  rowBlock: number;
  columns: ColumnEntry[];
}

/** A plan as a versioned little-endian column file. */
export function encodePlan(plan: TilePlan): Uint8Array {
  const columns: [string, Int32Array | Float64Array][] = [];
  for (const name of tileColumns) columns.push([name, plan[name].subarray(0, plan.count)]);
  columns.push(["cost", plan.cost.subarray(0, plan.count)]);
  columns.push(["loads", plan.loads], ["speed", plan.speed], ["base", plan.base]);
  columns.push(["ranks", Int32Array.from(plan.ranks)]);
  plan.sequences.forEach((cuSeqlens, s) => {
    const owned = plan.owned[s]!;
    columns.push([`cuSeqlens.${s}`, cuSeqlens], [`ownedOffsets.${s}`, owned.offsets]);
    columns.push([`ownedStarts.${s}`, owned.starts], [`ownedEnds.${s}`, owned.ends]);
  });
  let size = 0;
  const entries = columns.map(([name, column]): ColumnEntry => {
    const offset = size;
    size += Math.ceil(column.byteLength / 8) * 8;
    const type = column instanceof Int32Array ? "i32" : "f64";
    return { name, type, offset, length: column.length };
  });
  const body = new Uint8Array(size);
  columns.forEach(([, column], i) => {
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    body.set(bytes, entries[i]!.offset);
  });
  const header: Header = {
    hash: xxh64Bytes(body),
    planner: plan.planner,
    workers: plan.workers,
    cp: plan.cp,
    poolSize: plan.poolSize,
    heads: plan.heads,
    chunks: plan.chunks,
    nodes: plan.nodes,
    keyRanges: plan.keyRanges,
    tolerance: plan.tolerance,
    total: plan.total,
    workerSkew: plan.workerSkew,
    bound: plan.bound,
    moved: plan.moved,
    leastMoved: plan.leastMoved,
    rowBlock: plan.rowBlock,
    columns: entries,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerSize = Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(preamble + headerSize + size).fill(0x20, 0, preamble + headerSize);
  file.set(new TextEncoder().encode(magic), 0);
  const view = new DataView(file.buffer);
  view.setUint32(8, version, true);
  view.setUint32(12, headerSize, true);
  file.set(text, preamble);
  file.set(body, preamble + headerSize);
  return file;
}

/**
 * Reads a plan file.
 *
 * @throws LibraError `FORMAT` for anything that is not a whole plan file of this version
 */
export function decodePlan(file: Uint8Array): TilePlan {
  // A Node Buffer's slice is no copy.
  const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  const { header, body } = parseFile(bytes);
  const entries = new Map(header.columns.map((entry) => [entry.name, entry]));
  function read(name: string, type: "i32" | "f64"): ArrayBuffer {
    const entry = entries.get(name);
    const size = entry === undefined ? 0 : entry.length * (type === "i32" ? 4 : 8);
    if (entry === undefined || entry.type !== type || entry.offset + size > body.length) {
      throw damaged(`column ${name} is missing or reaches beyond the end`);
    }
    return body.slice(entry.offset, entry.offset + size).buffer;
  }
  const integers = (name: string) => new Int32Array(read(name, "i32"));
  const numbers = (name: string) => new Float64Array(read(name, "f64"));
  const sequences: Int32Array[] = [];
  const owned: OwnedRows[] = [];
  for (let s = 0; s < header.poolSize; s++) {
    sequences.push(integers(`cuSeqlens.${s}`));
    const rows = sequences[s]![sequences[s]!.length - 1]!;
    const offsets = integers(`ownedOffsets.${s}`);
    const starts = integers(`ownedStarts.${s}`);
    const ends = integers(`ownedEnds.${s}`);
    const intervals = Array.from({ length: header.cp }, (_, c) =>
      Array.from(starts.subarray(offsets[c], offsets[c + 1]), (start, i): [number, number] => [
        start,
        ends[offsets[c]! + i]!,
      ]),
    );
    owned.push(customRows(rows, intervals));
  }
  const tiles = Object.fromEntries(tileColumns.map((name) => [name, integers(name)])) as Pick<
    TilePlan,
    (typeof tileColumns)[number]
  >;
  const { hash: _hash, columns: _columns, ...values } = header;
  return Object.freeze({
    ...values,
    heads: Object.freeze(values.heads),
    count: tiles.worker.length,
    ...tiles,
    cost: numbers("cost"),
    loads: numbers("loads"),
    speed: numbers("speed"),
    base: numbers("base"),
    ranks: Array.from(integers("ranks")),
    sequences,
    owned,
  });
}

function parseFile(file: Uint8Array): { header: Header; body: Uint8Array } {
  if (file.length < preamble || new TextDecoder().decode(file.subarray(0, 8)) !== magic) {
    throw damaged(`it does not begin with ${magic}`);
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const found = view.getUint32(8, true);
  if (found !== version) throw damaged(`it has version ${found}, this reader knows ${version}`);
  const headerSize = view.getUint32(12, true);
  const body = file.subarray(preamble + headerSize);
  let header: Header;
  try {
    const text = new TextDecoder("utf-8", { fatal: true });
    header = JSON.parse(text.decode(file.subarray(preamble, preamble + headerSize)));
  } catch (cause) {
    throw damaged("its header is not JSON", cause);
  }
  const hash = xxh64Bytes(body);
  if (header.hash !== hash) {
    throw damaged(`its columns hash to ${hash}, its header says ${header.hash}`);
  }
  return { header, body };
}

function damaged(why: string, cause?: unknown): LibraError {
  const message = `Not a whole tile plan file: ${why}`;
  return new LibraError("FORMAT", message, cause === undefined ? {} : { cause });
}
