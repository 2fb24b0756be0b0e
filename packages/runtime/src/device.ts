import { expected, LibraError, requireArray } from "@libra/base";
import {
  arrayOf,
  type DType,
  dtypeCode,
  dtypeOf,
  elementBytes,
  requireDType,
  type TensorData,
} from "./dtype.js";
import type { NativeWorld } from "./native/binding.js";
import { native } from "./native/native.js";
import { requireShape, shapeText, sizeOf } from "./shape.js";
import { Tensor, TensorStorage } from "./tensor.js";
import { tensorsIn } from "./tensors-in.js";

/** What a device holds. Bytes are those asked for; blocks are a little larger. */
export interface MemoryReport {
  /** In living storages, including freed ones that enqueued operations still hold. */
  readonly liveBytes: number;
  /** Number of such storages. */
  readonly liveTensors: number;
  readonly peakBytes: number;
  /** Kept for reuse; `trim()` gives it back. */
  readonly cachedBytes: number;
  /** Storages made so far, and how many of them reused a block. */
  readonly allocations: number;
  readonly reuses: number;
  /** Tensors that were never freed and fell to the garbage collector: a leak in the program. */
  readonly leaked: number;
}

/** Memory and compute threads of one rank. */
export interface Device {
  readonly kind: "cpu";
  /** Compute threads. */
  readonly threads: number;
  /** Query rows of the attention kernel's block: the planners' `rowBlock`. */
  readonly rowBlock: number;
  /** `base`, `avx2` or `avx512`; on arm64 `arm64`. */
  readonly instructionSet: string;
  /** A tensor whose elements nobody has written. */
  empty(shape: readonly number[], dtype?: DType): Tensor;
  /** A tensor of zeros; `float32` unless said. */
  zeros(shape: readonly number[], dtype?: DType): Tensor;
  /**
   * Copies the values now, whatever part of whatever buffer they are. The shape is one dimension
   * and the type the array's (float32 for plain numbers) unless given; other types are converted,
   * to bfloat16 rounding to nearest even.
   *
   * @throws ARGUMENT when shape and number of values differ
   * @throws UNSUPPORTED for `strides`: tensors are contiguous
   */
  fromArray(
    array: TensorData | readonly number[],
    shape?: readonly number[],
    dtype?: DType,
  ): Tensor;
  /**
   * Runs a synchronous function and frees the tensors it made, except those it returns (alone or
   * inside arrays and plain objects) and those given to `keep`.
   *
   * @throws ARGUMENT when the function returns a promise
   */
  scope<Result>(fn: (keep: (tensor: Tensor) => Tensor) => Result): Result;
  /** Bytes in use, kept and at the peak. */
  memory(): MemoryReport;
  /** Gives cached blocks back to the system. */
  trim(): void;
}

/** The CPU cores of one rank of a launch. */
export class CpuDevice implements Device {
  readonly kind = "cpu";
  readonly threads: number;
  readonly rowBlock: number;
  readonly instructionSet: string;
  readonly #world: NativeWorld;
  readonly #rank: number;
  readonly #scopes: Set<TensorStorage>[] = [];

  constructor(world: NativeWorld, rank: number, threads: number) {
    this.#world = world;
    this.#rank = rank;
    this.threads = threads;
    this.rowBlock = native().worldRowBlock(world);
    this.instructionSet = native().worldInstructionSet(world);
  }

  empty(shape: readonly number[], dtype: DType = "float32"): Tensor {
    refuseStrides(shape);
    refuseStrides(dtype);
    const wanted = requireShape(shape, "shape");
    const type = requireDType(dtype, "dtype");
    const bytes = sizeOf(wanted) * elementBytes[type];
    const storage = new TensorStorage(native().storageCreate(this.#world, this.#rank, bytes), this);
    this.#scopes.at(-1)?.add(storage);
    return new Tensor(storage, 0, wanted, type);
  }

  zeros(shape: readonly number[], dtype: DType = "float32"): Tensor {
    const tensor = this.empty(shape, dtype);
    native().storageZero(tensor.storage.handle());
    return tensor;
  }

  fromArray(
    array: TensorData | readonly number[],
    shape?: readonly number[],
    dtype?: DType,
  ): Tensor {
    refuseStrides(array);
    refuseStrides(shape);
    requireArray(array, "array");
    const type = dtype ?? dtypeOf(array);
    const wanted = shape ?? [array.length];
    if (sizeOf(requireShape(wanted, "shape")) !== array.length) {
      throw expected(`${array.length} elements, as the array has`, "shape", shapeText(wanted));
    }
    const tensor = this.empty(wanted, type);
    const values = arrayOf(tensor.dtype, array);
    native().storageWrite(tensor.storage.handle(), values, dtypeCode[tensor.dtype]);
    return tensor;
  }

  scope<Result>(fn: (keep: (tensor: Tensor) => Tensor) => Result): Result {
    const made = new Set<TensorStorage>();
    const outer = this.#scopes.at(-1);
    const keep = (tensor: Tensor): Tensor => {
      if (made.delete(tensor.storage)) outer?.add(tensor.storage);
      return tensor;
    };
    this.#scopes.push(made);
    try {
      const result = fn(keep);
      if (result instanceof Promise) {
        result.catch(() => {});
        throw expected("a synchronous function", "fn", "a function that returns a promise");
      }
      for (const tensor of tensorsIn(result)) keep(tensor);
      return result;
    } finally {
      this.#scopes.pop();
      for (const storage of made) storage.free();
    }
  }

  memory(): MemoryReport {
    const { liveBlocks, ...report } = native().memoryStatistics(this.#world, this.#rank);
    return { ...report, liveTensors: liveBlocks };
  }

  trim(): void {
    native().memoryTrim(this.#world, this.#rank);
  }
}

function refuseStrides(value: unknown): void {
  if (typeof value !== "object" || value === null || !("strides" in value)) return;
  throw new LibraError(
    "UNSUPPORTED",
    "Strided tensors do not exist: a tensor is contiguous and row-major. Copy the values into " +
      "that order first; a subarray of a typed array is copied as it is",
  );
}
