import { expected, LibraError } from "@libra/base";
import type { DType, FloatType } from "../dtype.js";
import type { NativeStorage, NativeStream } from "../native/binding.js";
import { shapeText, sizeOf } from "../shape.js";
import { Stream } from "../stream.js";
import { Tensor, tensorText } from "../tensor.js";

/**
 * Extents of an expected shape: a number, or a letter that stands for the same number in all
 * tensors of the call. A first `...R` stands for all leading dimensions, R their product.
 */
export type Extent = number | string;

/** A call's first tensor of float32 or bfloat16, whose type others must have. */
export interface Lead {
  readonly name: string;
  readonly dtype: FloatType;
}

/** Checks the arguments of one operator call; errors show the shapes of both sides. */
export class OperatorCheck {
  readonly stream: NativeStream;
  readonly #operator: string;
  readonly #device: object;
  readonly #extents = new Map<string, number>();
  readonly #seen: string[] = [];

  constructor(operator: string, stream: Stream) {
    if (!(stream instanceof Stream)) throw expected("a stream", "stream", stream);
    this.#operator = operator;
    this.#device = stream.device;
    this.stream = stream.handle;
  }

  /** @throws ARGUMENT unless it is of float32 or bfloat16 */
  lead(name: string, tensor: Tensor): Lead {
    const what = "a tensor of float32 or bfloat16";
    if (!(tensor instanceof Tensor)) throw expected(what, name, tensor);
    const { dtype } = tensor;
    if (dtype !== "float32" && dtype !== "bfloat16") throw this.error(what, name, dtype);
    return { name, dtype };
  }

  /**
   * @param dtype - the type it must have, or the tensor whose type it must have
   * @returns the tensor's storage and offset, as native calls take them
   */
  tensor(
    name: string,
    tensor: Tensor,
    dtype: DType | Lead,
    extents: readonly Extent[],
  ): [NativeStorage, number] {
    const place = this.#place(name, tensor, dtype);
    const shape = flattened(tensor.shape, extents);
    const fits = shape?.every((extent, i) => this.#fits(extents[i]!, extent));
    if (!fits) throw this.#mismatch(name, tensor, extents);
    this.#seen.push(tensorText(name, tensor));
    return place;
  }

  /** Like `tensor`, null for one that is not given. */
  optional(
    name: string,
    tensor: Tensor | undefined,
    dtype: DType | Lead,
    extents: readonly Extent[],
  ): [NativeStorage | null, number] {
    return tensor === undefined ? [null, 0] : this.tensor(name, tensor, dtype, extents);
  }

  /** A tensor of any shape whose elements are whole vectors. */
  vectors(
    name: string,
    tensor: Tensor,
    vectorSize: number,
    dtype: DType | Lead,
  ): [NativeStorage, number] {
    const place = this.#place(name, tensor, dtype);
    if (tensor.size % vectorSize !== 0) {
      throw this.error(`a multiple of ${vectorSize} elements`, name, shapeText(tensor.shape));
    }
    return place;
  }

  /** A tensor with the shape of one seen before. */
  like(name: string, tensor: Tensor, model: Tensor, dtype: DType | Lead): [NativeStorage, number] {
    return this.tensor(name, tensor, dtype, model.shape);
  }

  /** The number a letter stands for. */
  extent(letter: string): number {
    return this.#extents.get(letter)!;
  }

  /** Throws when `out` shares elements with one of the inputs. */
  apart(name: string, out: Tensor, inputs: Readonly<Record<string, Tensor | undefined>>): void {
    for (const [other, input] of Object.entries(inputs)) {
      if (input === undefined || input.storage !== out.storage) continue;
      const overlaps =
        input.offset < out.offset + out.byteLength && out.offset < input.offset + input.byteLength;
      if (overlaps) throw this.error(`memory apart from ${other}`, name, `part of ${other}`);
    }
  }

  /** @throws ARGUMENT unless it is a number, finite unless said otherwise */
  number(name: string, value: unknown, fits: (value: number) => boolean, what: string): number {
    if (typeof value !== "number" || !fits(value)) throw this.error(what, name, String(value));
    return value;
  }

  #place(name: string, tensor: Tensor, wanted: DType | Lead): [NativeStorage, number] {
    const dtype = typeof wanted === "string" ? wanted : wanted.dtype;
    const lead = typeof wanted === "string" || wanted.name === name ? "" : ` (as ${wanted.name})`;
    const what = `a tensor of ${dtype}${lead}`;
    if (!(tensor instanceof Tensor)) throw expected(what, name, tensor);
    if (tensor.dtype !== dtype) throw this.error(what, name, tensor.dtype);
    if (tensor.storage.owner !== this.#device) {
      throw this.error("a tensor of the stream's own rank", name, "one of another rank");
    }
    if (tensor.storage.freed) {
      throw new LibraError(
        "STATE",
        `Expected a living tensor for ${name} of ${this.#operator} but received one that was freed`,
      );
    }
    return [tensor.storage.handle(), tensor.offset];
  }

  #fits(wanted: Extent, extent: number): boolean {
    if (typeof wanted === "number") return wanted === extent;
    const letter = wanted.replace("...", "");
    const known = this.#extents.get(letter);
    if (known !== undefined) return known === extent;
    this.#extents.set(letter, extent);
    return true;
  }

  #mismatch(name: string, tensor: Tensor, extents: readonly Extent[]): LibraError {
    const wanted = extents.map((extent) => {
      if (typeof extent === "number") return `${extent}`;
      const known = this.#extents.get(extent.replace("...", ""));
      return known === undefined ? extent : `${extent} = ${known}`;
    });
    const seen = this.#seen.length === 0 ? "" : ` (${this.#seen.join(", ")})`;
    return this.error(`shape [${wanted.join(", ")}]${seen}`, name, shapeText(tensor.shape));
  }

  /** `Expected … for … of … but received …` */
  error(what: string, name: string, received: string): LibraError {
    return new LibraError(
      "ARGUMENT",
      `Expected ${what} for ${name} of ${this.#operator} but received ${received}`,
    );
  }
}

function flattened(
  shape: readonly number[],
  extents: readonly Extent[],
): readonly number[] | undefined {
  const [first] = extents;
  if (typeof first !== "string" || !first.startsWith("...")) {
    return shape.length === extents.length ? shape : undefined;
  }
  const inner = extents.length - 1;
  if (shape.length < inner) return undefined;
  const border = shape.length - inner;
  return [sizeOf(shape.slice(0, border)), ...shape.slice(border)];
}

export const isReal = Number.isFinite;
export const isPositive = (value: number): boolean => value > 0 && Number.isFinite(value);
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
