import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { LibraError } from "@libra/base";
import {
  damaged,
  type Header,
  headerLength,
  parseHeader,
  type TensorEntry,
} from "./safetensors-header.js";
import { widen } from "./widen.js";

/** One tensor's values: floating types as float32, integer types as int32, float64 as it is. */
export interface NamedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array | Float64Array | Int32Array;
}

/** An open safetensors file; tensors are read one at a time, when asked for. */
export interface SafetensorsFile {
  readonly path: string;
  readonly header: Header;
  /**
   * @param shape - when given, the shape that the tensor must have
   * @throws LibraError `FORMAT` when the tensor is missing, has another shape or cannot be read
   */
  read(name: string, shape?: readonly number[]): NamedArray;
  close(): void;
}

/**
 * Opens a safetensors file and checks its header.
 *
 * @throws LibraError `FORMAT` that names the file and, where there is one, the tensor and byte range
 */
export function openSafetensors(path: string): SafetensorsFile {
  const file = open(path);
  try {
    const fileBytes = fstatSync(file).size;
    const length = headerLength(path, readBytes(file, 0, Math.min(8, fileBytes)), fileBytes);
    const text = Buffer.from(readBytes(file, 8, length)).toString("utf8");
    const header = parseHeader(path, text, fileBytes);
    return {
      path,
      header,
      read(name, shape) {
        const entry = find(path, header, name);
        if (shape !== undefined && shape.join() !== entry.shape.join()) {
          throw damaged(
            path,
            `tensor ${name} has shape [${entry.shape.join(", ")}], the model needs [${shape.join(", ")}]`,
          );
        }
        return { shape: entry.shape, data: readTensor(path, file, entry) };
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function open(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw new LibraError("FORMAT", `Cannot open ${path}: ${(cause as Error).message}`, { cause });
  }
}

function find(path: string, header: Header, name: string): TensorEntry {
  const entry = header.tensors.get(name);
  if (entry !== undefined) return entry;
  const some = [...header.tensors.keys()].slice(0, 4).join(", ");
  throw damaged(
    path,
    `tensor ${name} is missing; the file holds ${header.tensors.size} tensors: ${some}, …`,
  );
}

function readTensor(path: string, file: number, entry: TensorEntry): NamedArray["data"] {
  const bytes = readBytes(file, entry.begin, entry.end - entry.begin);
  if (bytes.byteLength < entry.end - entry.begin) {
    throw damaged(
      path,
      `tensor ${entry.name} lies in bytes ${entry.begin}–${entry.end}, reading stopped at ${entry.begin + bytes.byteLength}`,
    );
  }
  return widen(entry.type, bytes);
}

function readBytes(file: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    // One call reads at most 2 GiB − 4 KiB on Linux.
    const count = readSync(file, bytes, done, Math.min(length - done, 2 ** 30), position + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}
