import { basename, dirname, join } from "node:path";
import { expected } from "@libra/base";
import { type ByteFile, exists, type Meter, streamFile } from "./byte-file.js";
import { checkedLengths } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { damaged, refused } from "./format-error.js";
import { decodeNumbers, readU32 } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { type MdsColumn, type MdsIndex, type MdsShard, readMdsIndex } from "./mds-index.js";
import { isArrayEncoding, readArrayValue, scalarType, type ValuePlace } from "./mds-value.js";

const batchSamples = 8192;
// ProLong's packed shards: an array of [start, end) pairs, one for each document of the sample.
const borderColumn = "indices";

interface Selection {
  columns: readonly MdsColumn[];
  column: MdsColumn;
  tokenBytes: number;
}

/**
 * Lengths of a MosaicML MDS folder: from a number column, from the shapes of an array column, from
 * the sizes of a `bytes` column, or document by document from the `indices` of packed samples. Read
 * are each shard's table of samples and, where the table does not tell, a few bytes of each sample.
 */
export async function openMds(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const folder = await folderOf(path);
  const index = await readMdsIndex(folder, meter);
  const column = selectColumn(path, index, options);
  const packed = column?.name === borderColumn;
  const samples = index.shards.reduce((sum, shard) => sum + shard.samples, 0);
  const tokenBytes = options.tokenBytes ?? 8;
  const notes = column === undefined ? [] : [`column ${column.name}`];
  if (packed) notes.push(`lengths of the documents inside ${samples} packed samples`);
  if (column?.encoding === "bytes") notes.push(`${tokenBytes} bytes a token`);
  return lengthSource({
    format: "mds",
    path,
    total: packed ? undefined : samples,
    notes,
    meter,
    chunks: async function* () {
      if (column === undefined) return;
      const selection = { columns: index.columns, column, tokenBytes };
      let documents = 0;
      for (const shard of index.shards) {
        for await (const values of streamFile(shard.path, meter, (file) =>
          shardValues(file, shard, selection),
        )) {
          yield checkedLengths(values, documents, shard.path);
          documents += values.length;
        }
      }
    },
  });
}

async function folderOf(path: string): Promise<string> {
  if (basename(path) === "index.json") return dirname(path);
  if (await exists(join(path, "index.json"))) return path;
  throw expected("a folder with index.json for the format mds", "path", path);
}

function selectColumn(
  path: string,
  index: MdsIndex,
  options: SourceOptions,
): MdsColumn | undefined {
  if (index.shards.length === 0) return undefined;
  const offers = index.columns.map((column) => ({
    name: column.name,
    kind: kindOf(column.encoding),
    column,
  }));
  const borders = offers.find(({ name, kind }) => name === borderColumn && kind === "list");
  const hasTokens = offers.some(({ name, kind }) => name !== borderColumn && kind === "list");
  if (options.column === undefined && borders !== undefined && hasTokens) return borders.column;
  const { column } = chooseColumn(path, offers, options.column);
  if (column.encoding === "bytes" && column.size !== undefined) {
    throw refused(path, `column ${column.name} has one fixed size`, "Name another column");
  }
  return column;
}

function kindOf(encoding: string): "number" | "list" | "other" {
  if (scalarType(encoding) !== undefined) return "number";
  return isArrayEncoding(encoding) ? "list" : "other";
}

async function* shardValues(
  file: ByteFile,
  shard: MdsShard,
  selection: Selection,
): AsyncGenerator<number[]> {
  if (file.size !== shard.bytes) {
    throw damaged(file.path, file.size, `${shard.bytes} bytes`, `a file of ${file.size}`);
  }
  const count = readU32(await file.read(0, 4, "the number of samples"), 0);
  if (count !== shard.samples) {
    throw damaged(file.path, 0, `${shard.samples} samples, as index.json says`, String(count));
  }
  const table = await file.read(4, 4 * (count + 1), "the table of samples");
  const borders = new DataView(table.buffer);
  const locate = locator(selection);
  for (let first = 0; first < count; first += batchSamples) {
    const values: number[] = [];
    for (let i = first; i < Math.min(count, first + batchSamples); i++) {
      const offset = borders.getUint32(4 * i, true);
      const end = borders.getUint32(4 * i + 4, true);
      if (end < offset || end > file.size) {
        throw damaged(
          file.path,
          8 + 4 * i,
          `an end of sample ${i} from ${offset} to ${file.size}`,
          String(end),
        );
      }
      const place = locate(file, { offset, size: end - offset });
      if (place.size < 0 || place.offset < offset || place.offset + place.size > end) {
        throw damaged(file.path, offset, `a whole sample ${i}`, "sizes beyond its end");
      }
      appendValues(values, file, selection, place);
    }
    yield values;
  }
}

/**
 * A sample is the u32 sizes of its variable columns, then every column's bytes. Where the chosen
 * column's place follows from the sample's borders alone, the sizes are not read.
 */
function locator({
  columns,
  column,
}: Selection): (file: ByteFile, sample: ValuePlace) => ValuePlace {
  const variable = columns.filter(({ size }) => size === undefined);
  const heads = 4 * variable.length;
  const at = columns.indexOf(column);
  const fixed = (part: readonly MdsColumn[]) =>
    part.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const before = columns.slice(0, at);
  const after = columns.slice(at + 1);
  const isFixed = ({ size }: MdsColumn) => size !== undefined;
  if (before.every(isFixed) && (column.size !== undefined || after.every(isFixed))) {
    const start = heads + fixed(before);
    return (_, { offset, size }) => ({
      offset: offset + start,
      size: column.size ?? size - start - fixed(after),
    });
  }
  if (after.every(isFixed) && column.size !== undefined) {
    const back = column.size + fixed(after);
    return (_, { offset, size }) => ({ offset: offset + size - back, size: column.size! });
  }
  return (file, { offset }) => {
    const sizes = file.readNow(offset, heads, "the sizes of a sample");
    let start = offset + heads;
    let next = 0;
    for (const { size } of before) start += size ?? readU32(sizes, 4 * next++);
    return { offset: start, size: column.size ?? readU32(sizes, 4 * next) };
  };
}

function appendValues(
  values: number[],
  file: ByteFile,
  { column, tokenBytes }: Selection,
  place: ValuePlace,
): void {
  const scalar = scalarType(column.encoding);
  if (scalar !== undefined) {
    values.push(decodeNumbers(file.readNow(place.offset, scalar.size), scalar)[0]!);
  } else if (column.encoding === "bytes") {
    if (place.size % tokenBytes !== 0) {
      throw file.damaged(
        place.offset,
        `whole tokens of ${tokenBytes} bytes (see the tokenBytes option)`,
        `${place.size} bytes`,
      );
    }
    values.push(place.size / tokenBytes);
  } else if (column.name === borderColumn) {
    appendBorders(values, file, column, place);
  } else {
    const { shape } = readArrayValue(file, column, place);
    if (shape.length !== 1) {
      throw file.damaged(place.offset, "an array of one dimension", `${shape.length}`);
    }
    values.push(shape[0]!);
  }
}

function appendBorders(
  values: number[],
  file: ByteFile,
  column: MdsColumn,
  place: ValuePlace,
): void {
  const { shape, type, numbers } = readArrayValue(file, column, place);
  if (shape.length !== 2 || shape[1] !== 2 || type === undefined) {
    throw file.damaged(place.offset, "pairs of document borders", `the shape (${shape})`);
  }
  const borders = decodeNumbers(file.readNow(numbers.offset, numbers.size), type);
  for (let i = 0; i < borders.length; i += 2) values.push(borders[i + 1]! - borders[i]!);
}
