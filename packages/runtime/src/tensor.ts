import { expected, LibraError, requireInteger } from "@libra/base";
import { type DType, elementBytes } from "./dtype.js";
import type { NativeStorage } from "./native/binding.js";
import { native } from "./native/native.js";
import { requireShape, shapeText, sizeOf } from "./shape.js";

/** Memory that one or more tensors look at. */
export class TensorStorage {
  #handle: NativeStorage | undefined;

  constructor(
    handle: NativeStorage,
    /** The device it belongs to: operators refuse another rank's memory. */
    readonly owner: object,
  ) {
    this.#handle = handle;
  }

  get freed(): boolean {
    return this.#handle === undefined;
  }

  /** @throws STATE after free() */
  handle(): NativeStorage {
    if (this.#handle === undefined) {
      throw new LibraError("STATE", "Expected a living tensor but received one that was freed");
    }
    return this.#handle;
  }

  free(): void {
    if (this.#handle === undefined) return;
    native().storageRelease(this.#handle);
    this.#handle = undefined;
  }
}

/**
 * Elements of one type in device memory, contiguous and row-major: a tensor has no strides, so an
 * operator cannot misread one. Made by a `Device`.
 */
export class Tensor {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** Number of elements. */
  readonly size: number;
  readonly byteLength: number;
  /** @internal */
  readonly storage: TensorStorage;
  /** @internal Bytes into the storage. */
  readonly offset: number;

  /** @internal Use a `Device`. */
  constructor(storage: TensorStorage, offset: number, shape: readonly number[], dtype: DType) {
    this.storage = storage;
    this.offset = offset;
    this.shape = shape;
    this.dtype = dtype;
    this.size = sizeOf(shape);
    this.byteLength = this.size * elementBytes[dtype];
  }

  /**
   * Rows `start` to `end` (exclusive) of the first dimension; shares the storage.
   *
   * @throws ARGUMENT for a border outside 0 … shape[0], or a tensor without dimensions
   */
  slice(start: number, end: number): Tensor {
    const [rows, ...inner] = this.shape;
    if (rows === undefined) throw expected("at least one dimension", "slice", this.shape);
    requireInteger(start, "start", 0, rows);
    requireInteger(end, "end", start, rows);
    const rowBytes = sizeOf(inner) * elementBytes[this.dtype];
    const shape = Object.freeze([end - start, ...inner]);
    return new Tensor(this.storage, this.offset + start * rowBytes, shape, this.dtype);
  }

  /**
   * The same elements in another shape; shares the storage.
   *
   * @throws ARGUMENT when the number of elements differs
   */
  reshape(...shape: number[]): Tensor {
    const wanted = requireShape(shape, "shape");
    if (sizeOf(wanted) !== this.size) {
      throw expected(`${this.size} elements, as ${shapeText(this.shape)}`, "shape", shape);
    }
    return new Tensor(this.storage, this.offset, wanted, this.dtype);
  }

  /**
   * Gives the storage back once the operations already enqueued on it have run. All tensors that
   * share it become unusable. A second call does nothing.
   */
  free(): void {
    this.storage.free();
  }
}

/** `x [3, 4] float32` for messages. */
export function tensorText(name: string, tensor: Tensor): string {
  return `${name} ${shapeText(tensor.shape)}`;
}
