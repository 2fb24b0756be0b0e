import type { ColumnOffer } from "./column-names.js";
import type { Table } from "./flatbuffer.js";
import type { NumberType } from "./integers.js";

/** One top-level column, and where its parts lie among a record batch's nodes and buffers. */
export interface ArrowColumn extends ColumnOffer {
  /** Index among the batch's field nodes. */
  node: number;
  /** Index of its validity buffer among the batch's buffers; the next holds numbers or offsets. */
  buffer: number;
  /** Type of the numbers, or of a list's offsets. */
  type: NumberType | undefined;
  /** Fixed-size lists have no offsets. */
  fixedSize: number | undefined;
}

// Schema.fbs, union Type.
const typeNames = [
  "none",
  "null",
  "int",
  "float",
  "binary",
  "utf8",
  "bool",
  "decimal",
  "date",
  "time",
  "timestamp",
  "interval",
  "list",
  "struct",
  "union",
  "fixedBinary",
  "fixedList",
  "map",
  "duration",
  "largeBinary",
  "largeUtf8",
  "largeList",
  "runEnd",
  "binaryView",
  "utf8View",
  "listView",
  "largeListView",
] as const;

// Buffers of the field itself, children apart (Arrow columnar format, "Buffer Listing for Each
// Layout"). Unions of metadata version 4 also have a validity buffer; views have a variable number.
const ownBuffers: Partial<Record<(typeof typeNames)[number], number>> = {
  null: 0,
  binary: 3,
  utf8: 3,
  largeBinary: 3,
  largeUtf8: 3,
  struct: 1,
  fixedList: 1,
  runEnd: 0,
  listView: 3,
  largeListView: 3,
};

/** A schema's columns. `version` is the metadata version's code (4 is version 5). */
export function arrowColumns(schema: Table, version: number): ArrowColumn[] {
  if (schema.short(0) !== 0) throw new RangeError("big-endian data");
  const position = { node: 0, buffer: 0, unknown: false };
  const columns: ArrowColumn[] = [];
  for (const field of schema.tables(1)) {
    const unknown = position.unknown;
    const column = describe(field, position);
    columns.push(unknown ? { ...column, kind: "other" } : column);
    advance(field, version, position, 0);
  }
  return columns;
}

function describe(field: Table, position: { node: number; buffer: number }): ArrowColumn {
  const name = field.string(0) ?? "";
  const typeName = typeNames[field.byte(2)];
  const type = field.table(3);
  const base = { name, node: position.node, buffer: position.buffer, fixedSize: undefined };
  if (field.table(4) !== undefined || type === undefined) {
    return { ...base, kind: "other", type: undefined };
  }
  switch (typeName) {
    case "int": {
      const size = ([1, 2, 4, 8] as const).find((bytes) => 8 * bytes === type.int(0));
      if (size === undefined) throw new RangeError(`integers of ${type.int(0)} bits`);
      const kind = type.byte(1) === 1 ? "signed" : "unsigned";
      return { ...base, kind: "number", type: { kind, size, littleEndian: true } };
    }
    case "float": {
      const size = type.short(0) === 1 ? 4 : 8;
      const isHalf = type.short(0) === 0;
      const number: NumberType = { kind: "float", size, littleEndian: true };
      return { ...base, kind: isHalf ? "other" : "number", type: isHalf ? undefined : number };
    }
    case "list":
    case "largeList": {
      const size = typeName === "list" ? 4 : 8;
      return { ...base, kind: "list", type: { kind: "signed", size, littleEndian: true } };
    }
    case "fixedList":
      return { ...base, kind: "list", type: undefined, fixedSize: type.int(0) };
    default:
      return { ...base, kind: "other", type: undefined };
  }
}

const deepest = 64;

// Nodes and buffers are listed depth first, parents before children.
function advance(
  field: Table,
  version: number,
  position: { node: number; buffer: number; unknown: boolean },
  depth: number,
): void {
  if (depth > deepest) throw new RangeError("a schema too deep");
  const typeName = typeNames[field.byte(2)] ?? "none";
  position.node++;
  if (field.table(4) !== undefined) {
    position.buffer += 2;
    return;
  }
  if (typeName === "union") {
    const dense = (field.table(3)?.short(0) ?? 0) === 1;
    position.buffer += (dense ? 2 : 1) + (version < 4 ? 1 : 0);
  } else position.buffer += ownBuffers[typeName] ?? 2;
  // How many buffers a view column has differs from batch to batch.
  if (typeName === "binaryView" || typeName === "utf8View") position.unknown = true;
  for (const child of field.tables(5)) advance(child, version, position, depth + 1);
}
