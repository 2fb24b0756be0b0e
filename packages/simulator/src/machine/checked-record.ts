import { LibraError, nearest } from "@libra/base";
import { parseDocument } from "yaml";

/** What a number of a file must be. */
export interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
  /** Allow the least value itself; default true. */
  readonly inclusive?: boolean;
}

/**
 * One mapping of a YAML file, read key by key. Errors are LibraError `CONFIGURATION` and name the
 * path of the value, as in `cluster.links.farther.bandwidthGBs`.
 */
export class CheckedRecord {
  private readonly entries: Record<string, unknown>;

  /** @throws LibraError `CONFIGURATION` unless the value is a mapping of the given keys */
  constructor(
    value: unknown,
    readonly path: string,
    keys: readonly string[],
  ) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw wrong(`a mapping with ${keys.join(", ")}`, path, value);
    }
    for (const key of Object.keys(value)) {
      if (keys.includes(key)) continue;
      const close = nearest(key, keys);
      const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : ".";
      throw new LibraError(
        "CONFIGURATION",
        `Unknown key ${path}.${key}${hint} Valid keys: ${keys.join(", ")}`,
        { details: { path: `${path}.${key}`, valid: keys } },
      );
    }
    this.entries = value as Record<string, unknown>;
  }

  has(key: string): boolean {
    return this.entries[key] !== undefined && this.entries[key] !== null;
  }

  /** A number; `fallback` when the key is absent, an error when there is none. */
  number(key: string, rule: NumberRule = {}, fallback?: number): number {
    if (!this.has(key) && fallback !== undefined) return fallback;
    const value = this.required(key);
    const { min = 0, max = Number.MAX_VALUE, integer = false, inclusive = true } = rule;
    const fits =
      typeof value === "number" &&
      Number.isFinite(value) &&
      (inclusive ? value >= min : value > min) &&
      value <= max &&
      (!integer || Number.isSafeInteger(value));
    if (fits) return value;
    const kind = integer ? "a whole number" : "a number";
    const range = `${inclusive ? "of at least" : "above"} ${min}`;
    const most = max < Number.MAX_VALUE ? ` and at most ${max}` : "";
    throw wrong(`${kind} ${range}${most}`, `${this.path}.${key}`, value);
  }

  text(key: string, fallback?: string): string {
    if (!this.has(key) && fallback !== undefined) return fallback;
    const value = this.required(key);
    if (typeof value === "string" && value !== "") return value;
    throw wrong("a text", `${this.path}.${key}`, value);
  }

  oneOf<Word extends string>(key: string, words: readonly Word[], fallback: Word): Word {
    if (!this.has(key)) return fallback;
    const value = this.entries[key] as Word;
    if (words.includes(value)) return value;
    throw wrong(words.join(" or "), `${this.path}.${key}`, value);
  }

  flag(key: string, fallback: boolean): boolean {
    if (!this.has(key)) return fallback;
    const value = this.entries[key];
    if (typeof value === "boolean") return value;
    throw wrong("true or false", `${this.path}.${key}`, value);
  }

  record(key: string, keys: readonly string[]): CheckedRecord {
    return new CheckedRecord(this.required(key), `${this.path}.${key}`, keys);
  }

  /** The error for a value that is right alone but not beside the others. */
  refuse(key: string, what: string): LibraError {
    return wrong(what, `${this.path}.${key}`, this.entries[key]);
  }

  private required(key: string): unknown {
    if (this.has(key)) return this.entries[key];
    const path = `${this.path}.${key}`;
    throw new LibraError("CONFIGURATION", `${path} is missing`, { details: { path } });
  }
}

/**
 * Parses YAML text.
 *
 * @param name - what the text is, for the message
 * @throws LibraError `FORMAT` with line and column for text that is no YAML
 */
export function parseYaml(text: string, name: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new LibraError(
      "FORMAT",
      `${name} is not YAML: ${error.message.split("\n")[0]!.replace(/:$/, "")}`,
      {
        cause: error,
      },
    );
  }
  return document.toJS();
}

function wrong(what: string, path: string, received: unknown): LibraError {
  return new LibraError(
    "CONFIGURATION",
    `Expected ${what} for ${path} but received ${JSON.stringify(received) ?? "nothing"}`,
    { details: { path } },
  );
}
