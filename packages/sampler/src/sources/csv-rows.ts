import { StringDecoder } from "node:string_decoder";
import { damaged } from "./format-error.js";

const longestRow = 2 ** 24;

/**
 * Splits CSV text (RFC 4180: fields may be quoted, hold separators, line ends and doubled quotes)
 * that arrives in pieces. The separator is the first of tab, semicolon and comma found outside
 * quotes in the first line.
 */
export class CsvRows {
  /** Bytes pushed so far. */
  offset = 0;
  readonly #path: string;
  readonly #decoder = new StringDecoder("utf8");
  #separator: string | undefined;
  #text = "";
  /** Where the next quote of the text is, −1 when there is none. */
  #quote = -1;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns the rows that this piece completes */
  push(piece: Uint8Array): string[][] {
    this.offset += piece.length;
    this.#text += this.#decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    return this.#take(false);
  }

  /** @returns the last row, where the text does not end in a line end */
  end(): string[][] {
    this.#text += this.#decoder.end();
    return this.#take(true);
  }

  #take(final: boolean): string[][] {
    const text = this.#text;
    const rows: string[][] = [];
    let start = 0;
    this.#quote = text.indexOf('"');
    while (start < text.length) {
      const end = this.#rowEnd(text, start);
      if (end < 0 && !final) break;
      const row = withoutReturn(text.slice(start, end < 0 ? text.length : end));
      this.#separator ??= separatorOf(row);
      rows.push(fields(row, this.#separator));
      start = end < 0 ? text.length : end + 1;
    }
    this.#text = text.slice(start);
    if (this.#text.length > longestRow) {
      throw damaged(this.#path, this.offset, "a row that ends within 16 MiB", "no row end");
    }
    return rows;
  }

  #rowEnd(text: string, start: number): number {
    let from = start;
    for (;;) {
      const lineEnd = text.indexOf("\n", from);
      // Looked up once a quote, not once a row: text without quotes is not searched again and again.
      if (this.#quote >= 0 && this.#quote < from) this.#quote = text.indexOf('"', from);
      const quote = this.#quote;
      if (quote < 0 || (lineEnd >= 0 && lineEnd < quote)) return lineEnd;
      const close = text.indexOf('"', quote + 1);
      if (close < 0) return -1;
      from = close + 1;
    }
  }
}

function withoutReturn(row: string): string {
  return row.endsWith("\r") ? row.slice(0, -1) : row;
}

function separatorOf(row: string): string {
  const plain = row.replace(/"[^"]*"/g, "");
  return ["\t", ";", ","].find((separator) => plain.includes(separator)) ?? ",";
}

function fields(row: string, separator: string): string[] {
  if (!row.includes('"')) return row.split(separator);
  const found: string[] = [];
  let field = "";
  let quoted = false;
  for (let i = 0; i < row.length; i++) {
    const letter = row[i]!;
    if (letter === '"') {
      if (quoted && row[i + 1] === '"') {
        field += '"';
        i++;
      } else quoted = !quoted;
    } else if (letter === separator && !quoted) {
      found.push(field);
      field = "";
    } else field += letter;
  }
  found.push(field);
  return found;
}
