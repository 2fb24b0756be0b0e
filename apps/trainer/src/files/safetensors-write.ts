import { expected } from "@libra/base";
import { writeFileAtomic } from "./atomic.js";
import type { NamedArray } from "./safetensors-read.js";

/**
 * Writes tensors as a safetensors file, in the order given, in one piece: an interrupted call leaves
 * no file.
 *
 * @param tensors - name, shape and values; float32 as F32, float64 as F64, int32 as I32
 * @param metadata - strings for the header; `format: "pt"` is what Hugging Face loaders look for
 * @throws LibraError `ARGUMENT` when a shape does not match its values
 */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, NamedArray>,
  metadata: Readonly<Record<string, string>> = { format: "pt" },
): void {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, data }] of tensors) {
    const size = shape.reduce((product, length) => product * length, 1);
    if (size !== data.length) {
      throw expected(`${size} values ([${shape.join(", ")}])`, name, data.length);
    }
    const end = offset + data.byteLength;
    header[name] = { dtype: typeOf(data), shape, data_offsets: [offset, end] };
    offset = end;
  }
  // Spaces after the JSON text align the first tensor to 8 bytes, as the reference writer does.
  const text = JSON.stringify(header);
  const padded = text + " ".repeat((8 - (Buffer.byteLength(text) % 8)) % 8);
  const length = new BigUint64Array([BigInt(Buffer.byteLength(padded))]);
  writeFileAtomic(path, [length, padded, ...[...tensors.values()].map(({ data }) => data)]);
}

function typeOf(data: NamedArray["data"]): string {
  if (data instanceof Float32Array) return "F32";
  return data instanceof Float64Array ? "F64" : "I32";
}
