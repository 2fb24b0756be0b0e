import { chunkDocuments } from "./checked-lengths.js";
import type { Page } from "./parquet-chunk.js";
import type { ParquetColumn } from "./parquet-schema.js";

/**
 * Sizes of a list column's lists. An entry at repetition level 0 begins a list; it is an element
 * unless its definition level says null or empty.
 */
export async function* listSizes(
  pages: AsyncIterable<Page>,
  column: ParquetColumn,
): AsyncGenerator<Float64Array> {
  let sizes = new Float64Array(chunkDocuments);
  let filled = 0;
  let open = false;
  let size = 0;
  for await (const { repetition, definition, entries } of pages) {
    for (let i = 0; i < entries; i++) {
      if (repetition![i] === 0) {
        if (open) sizes[filled++] = size;
        open = true;
        size = 0;
        if (filled === sizes.length) {
          yield sizes;
          sizes = new Float64Array(chunkDocuments);
          filled = 0;
        }
      } else if (!open) throw new RangeError("a list that begins with its second element");
      if (definition![i]! >= column.elementDefinition) size++;
    }
  }
  if (open) sizes[filled++] = size;
  yield sizes.slice(0, filled);
}
