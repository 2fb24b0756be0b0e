// The safetensors layout (https://huggingface.co/docs/safetensors): u64 little-endian byte length of a
// JSON header, the header, then the tensors' bytes; offsets count from the end of the header.
import { LibraError } from "@libra/base";
import { z } from "zod";

/** Bytes of one element by safetensors type; types that Libra can read. */
const elementBytes = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  U8: 1,
} as const;

/** A safetensors element type that Libra can read. */
export type ElementType = keyof typeof elementBytes;

/** Where one tensor lies in the file. */
export interface TensorEntry {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** First byte and the byte after the last, from the start of the file. */
  readonly begin: number;
  readonly end: number;
}

/** What a safetensors file says about itself. */
export interface Header {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  readonly metadata: Readonly<Record<string, string>>;
}

// The format's own limit; a damaged length would otherwise ask for exabytes.
const longestHeader = 100_000_000;

const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

/**
 * Byte length of the header.
 *
 * @param prefix - the file's first bytes, 8 when the file has them
 * @throws LibraError `FORMAT` when the file is too short or the length cannot be right
 */
export function headerLength(path: string, prefix: Uint8Array, fileBytes: number): number {
  if (prefix.byteLength < 8) {
    throw damaged(path, `the file has ${fileBytes} bytes, its first field alone needs 8`);
  }
  const view = new DataView(prefix.buffer, prefix.byteOffset, 8);
  const length = view.getBigUint64(0, true);
  if (length > longestHeader || length > fileBytes - 8) {
    throw damaged(path, `bytes 0–8 give a header of ${length} bytes, the file has ${fileBytes}`);
  }
  return Number(length);
}

/**
 * Reads and checks a header: every tensor's bytes lie in the file, match its shape and overlap no
 * other tensor's.
 *
 * @throws LibraError `FORMAT` that names the file, the tensor and the byte range
 */
export function parseHeader(path: string, text: string, fileBytes: number): Header {
  const base = 8 + Buffer.byteLength(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, `bytes 8–${base} are no JSON header`, cause);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw damaged(path, `the header in bytes 8–${base} is no JSON object`);
  }
  const tensors = new Map<string, TensorEntry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(json)) {
    if (name === "__metadata__") metadata = value as Record<string, string>;
    else tensors.set(name, parseEntry(path, name, value, base, fileBytes));
  }
  refuseOverlap(path, tensors);
  return { tensors, metadata };
}

function parseEntry(
  path: string,
  name: string,
  value: unknown,
  base: number,
  fileBytes: number,
): TensorEntry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    throw damaged(path, `tensor ${name} has no dtype, shape and data_offsets of the right kind`);
  }
  const { dtype, shape, data_offsets } = parsed.data;
  if (!(dtype in elementBytes)) {
    const readable = Object.keys(elementBytes).join(", ");
    throw damaged(path, `tensor ${name} is of type ${dtype}; readable types: ${readable}`);
  }
  const type = dtype as ElementType;
  const begin = base + data_offsets[0];
  const end = base + data_offsets[1];
  const bytes = shape.reduce((product, size) => product * size, elementBytes[type]);
  const range = `tensor ${name} lies in bytes ${begin}–${end}`;
  if (end < begin || end > fileBytes) {
    throw damaged(path, `${range}, the file has ${fileBytes} bytes`);
  }
  if (end - begin !== bytes) {
    throw damaged(path, `${range}, but ${type} [${shape.join(", ")}] needs ${bytes} bytes`);
  }
  return { name, type, shape, begin, end };
}

function refuseOverlap(path: string, tensors: ReadonlyMap<string, TensorEntry>): void {
  const ordered = [...tensors.values()].sort((a, b) => a.begin - b.begin || a.end - b.end);
  for (const [index, next] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before === undefined || next.begin >= before.end || next.begin === next.end) continue;
    throw damaged(
      path,
      `tensor ${next.name} in bytes ${next.begin}–${next.end} overlaps ${before.name} in bytes ${before.begin}–${before.end}`,
    );
  }
}

/** The error for a file that cannot be read as safetensors. */
export function damaged(path: string, what: string, cause?: unknown): LibraError {
  return new LibraError("FORMAT", `${path} is not a readable safetensors file: ${what}`, {
    cause,
    details: { path },
  });
}
