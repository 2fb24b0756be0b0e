import { LibraError } from "@libra/base";

/** One object of a JSON file, read key by key; errors name the file and the value's path. */
export class JsonRecord {
  readonly #entries: Readonly<Record<string, unknown>>;

  /**
   * @param where - file and path, as in "result.json: rows[0]"
   * @throws LibraError `FORMAT` unless the value is an object
   */
  constructor(
    value: unknown,
    readonly where: string,
  ) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw wrong("an object", where, value);
    }
    this.#entries = value as Record<string, unknown>;
  }

  has(key: string): boolean {
    return this.#entries[key] !== undefined && this.#entries[key] !== null;
  }

  number(key: string): number {
    const value = this.#entries[key];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw wrong("a number", this.#path(key), value);
  }

  text(key: string): string {
    const value = this.#entries[key];
    if (typeof value === "string") return value;
    throw wrong("a text", this.#path(key), value);
  }

  record(key: string): JsonRecord {
    return new JsonRecord(this.#entries[key], this.#path(key));
  }

  list(key: string): unknown[] {
    const value = this.#entries[key];
    if (Array.isArray(value)) return value;
    throw wrong("a list", this.#path(key), value);
  }

  records(key: string): JsonRecord[] {
    return this.list(key).map((value, i) => new JsonRecord(value, `${this.#path(key)}[${i}]`));
  }

  /** A list of numbers, of the given length when there is one. */
  numbers(key: string, length?: number): number[] {
    const values = this.list(key);
    const fits = values.every((value) => typeof value === "number" && Number.isFinite(value));
    if (fits && (length === undefined || values.length === length)) return values as number[];
    const count = length === undefined ? "numbers" : `${length} numbers`;
    throw wrong(count, this.#path(key), values);
  }

  /** Whatever is there. */
  raw(key: string): unknown {
    return this.#entries[key];
  }

  #path(key: string): string {
    // "file.json: rows[0]" + "seconds" = "file.json: rows[0].seconds"; a file alone takes a colon.
    return this.where.includes(": ") ? `${this.where}.${key}` : `${this.where}: ${key}`;
  }
}

/** @throws LibraError `FORMAT` for text that is no JSON, by the place's name */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LibraError("FORMAT", `${where} is no JSON: ${(cause as Error).message}`, { cause });
  }
}

function wrong(what: string, where: string, received: unknown): LibraError {
  if (received === undefined) return new LibraError("FORMAT", `${where} is missing`);
  const text = JSON.stringify(received);
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new LibraError("FORMAT", `${where}: expected ${what} but received ${shown}`);
}
