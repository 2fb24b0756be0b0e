import type { FileMetaData, SchemaElement } from "hyparquet";
import type { ColumnOffer } from "./column-names.js";
import type { NumberType } from "./integers.js";
import type { ParseThrift } from "./parquet-page.js";

/** One leaf of a Parquet schema: numbers, lists of anything, or something of no use here. */
export interface ParquetColumn extends ColumnOffer {
  /** Names from the root to the leaf. */
  path: string[];
  /** Type of its numbers; `undefined` where the leaf holds none. */
  type: NumberType | undefined;
  maxDefinition: number;
  maxRepetition: number;
  /** Definition level at which a list has an element. */
  elementDefinition: number;
}

/** Everything that reading a column takes. */
export interface ParquetFile {
  metadata: FileMetaData;
  columns: ParquetColumn[];
  parse: ParseThrift;
}

/** The leaves of a schema, in file order. */
export function parquetColumns(metadata: FileMetaData): ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  let next = 1;
  const visit = (parents: SchemaElement[]): void => {
    const element = metadata.schema[next++];
    if (element === undefined) throw new RangeError("a schema with too few elements");
    const path = [...parents, element];
    const children = element.num_children ?? 0;
    if (children === 0) columns.push(leaf(path));
    for (let i = 0; i < children; i++) visit(path);
  };
  const roots = metadata.schema[0]?.num_children ?? 0;
  for (let i = 0; i < roots; i++) visit([]);
  return columns;
}

function leaf(path: SchemaElement[]): ParquetColumn {
  let maxDefinition = 0;
  let maxRepetition = 0;
  let elementDefinition = 0;
  for (const { repetition_type: repetition } of path) {
    if (repetition !== "REQUIRED") maxDefinition++;
    if (repetition === "REPEATED") {
      maxRepetition++;
      elementDefinition = maxDefinition;
    }
  }
  const type = numberType(path.at(-1)!);
  const kind = maxRepetition === 1 ? "list" : maxRepetition === 0 && type ? "number" : "other";
  return {
    name: publicName(path, maxRepetition),
    kind,
    path: path.map(({ name }) => name),
    type,
    maxDefinition,
    maxRepetition,
    elementDefinition,
  };
}

// A list is known by the name above its repeated wrapper: `input_ids`, not `input_ids.list.element`.
function publicName(path: SchemaElement[], maxRepetition: number): string {
  const names = path.map(({ name }) => name);
  if (maxRepetition === 0) return names.join(".");
  const repeated = path.findIndex(({ repetition_type: type }) => type === "REPEATED");
  return names.slice(0, Math.max(1, repeated)).join(".");
}

function numberType(element: SchemaElement): NumberType | undefined {
  const { logical_type: logical, converted_type: converted } = element;
  const isPlain =
    logical === undefined
      ? converted === undefined || /^U?INT_/.test(converted)
      : logical.type === "INTEGER";
  if (!isPlain) return undefined;
  const unsigned =
    /^UINT_/.test(converted ?? "") || (logical?.type === "INTEGER" && !logical.isSigned);
  const kind = unsigned ? "unsigned" : "signed";
  switch (element.type) {
    case "INT32":
      return { kind, size: 4, littleEndian: true };
    case "INT64":
      return { kind, size: 8, littleEndian: true };
    case "FLOAT":
      return { kind: "float", size: 4, littleEndian: true };
    case "DOUBLE":
      return { kind: "float", size: 8, littleEndian: true };
    default:
      return undefined;
  }
}
