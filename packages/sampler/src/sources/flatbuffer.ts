/**
 * A table of a FlatBuffers message, read in place: just what Arrow's metadata needs. Reads outside
 * the message fail with RangeError, which the file's reader turns into its own error.
 */
export class Table {
  readonly #view: DataView;
  readonly #at: number;

  private constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  /** The root table of a message. */
  static root(bytes: Uint8Array): Table {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new Table(view, view.getUint32(0, true));
  }

  /** Field `id` as a scalar; `absent` where the writer left the default out. */
  byte(id: number, absent = 0): number {
    const at = this.#field(id);
    return at === undefined ? absent : this.#view.getUint8(at);
  }

  short(id: number, absent = 0): number {
    const at = this.#field(id);
    return at === undefined ? absent : this.#view.getInt16(at, true);
  }

  int(id: number, absent = 0): number {
    const at = this.#field(id);
    return at === undefined ? absent : this.#view.getInt32(at, true);
  }

  /** An i64, as a double; sizes beyond 2^53 fail later, at the file's end. */
  long(id: number, absent = 0): number {
    const at = this.#field(id);
    return at === undefined ? absent : readLong(this.#view, at);
  }

  string(id: number): string | undefined {
    const at = this.#field(id);
    if (at === undefined) return undefined;
    const start = this.#follow(at);
    const length = this.#view.getUint32(start, true);
    if (start + 4 + length > this.#view.byteLength) throw new RangeError("a string that is cut");
    const { buffer, byteOffset } = this.#view;
    return Buffer.from(buffer, byteOffset + start + 4, length).toString("utf8");
  }

  table(id: number): Table | undefined {
    const at = this.#field(id);
    return at === undefined ? undefined : new Table(this.#view, this.#follow(at));
  }

  /** A vector of tables. */
  tables(id: number): Table[] {
    const { start, length } = this.#vector(id, 4);
    return Array.from({ length }, (_, i) => new Table(this.#view, this.#follow(start + 4 * i)));
  }

  /**
   * A vector of structs (or of longs, as structs of one): their i64 fields, `fields` for each of
   * `stride` bytes.
   */
  structs(id: number, stride: number, offsets: readonly number[]): number[][] {
    const { start, length } = this.#vector(id, stride);
    return Array.from({ length }, (_, i) =>
      offsets.map((offset) => readLong(this.#view, start + stride * i + offset)),
    );
  }

  #vector(id: number, stride: number): { start: number; length: number } {
    const at = this.#field(id);
    if (at === undefined) return { start: 0, length: 0 };
    const start = this.#follow(at);
    const length = this.#view.getUint32(start, true);
    if (start + 4 + stride * length > this.#view.byteLength) {
      throw new RangeError("a vector that is cut");
    }
    return { start: start + 4, length };
  }

  #field(id: number): number | undefined {
    const table = this.#at - this.#view.getInt32(this.#at, true);
    const slot = 4 + 2 * id;
    if (slot >= this.#view.getUint16(table, true)) return undefined;
    const offset = this.#view.getUint16(table + slot, true);
    return offset === 0 ? undefined : this.#at + offset;
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }
}

function readLong(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getInt32(at + 4, true) * 2 ** 32;
}
