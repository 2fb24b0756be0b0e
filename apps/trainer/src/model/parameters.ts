import { LibraError } from "@libra/base";
import { cast, type Device, type FloatType, type Stream, type Tensor } from "@libra/runtime";
import { type ParameterShape, sizeOf } from "./parameter-shapes.js";

/** A parameter and its gradient, same shape; the gradient is float32. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  /** What layers compute with: of the model's dtype for a matrix, float32 for a vector. */
  readonly value: Tensor;
  /** Every backward pass adds to it. */
  readonly gradient: Tensor;
}

/** Elements that a parameter's place in the flat tensors is rounded up to: 64 bytes. */
const alignment = 16;

/**
 * All parameters in one flat tensor and all gradients in another, so that reducing, clipping and
 * updating are one call each and every parameter counts once. Matrices come first, vectors (norms)
 * after, so that weight decay covers one range. Gaps between parameters stay 0.
 *
 * In bfloat16 the float32 values are masters: layers compute with bfloat16 copies of the matrices, which
 * `refresh` makes after every change of the masters.
 */
export class Parameters {
  /** [total] float32: what is updated, saved and loaded */
  readonly values: Tensor;
  /** [total] float32 */
  readonly gradients: Tensor;
  /** Elements before the first vector: the part that weight decay acts on. */
  readonly decayed: number;
  readonly list: readonly Parameter[];
  /** [decayed] bfloat16 copies of the matrices; undefined in float32. */
  readonly #copies: Tensor | undefined;
  readonly #byName: ReadonlyMap<string, Parameter>;
  readonly #starts: ReadonlyMap<string, number>;

  /** @param dtype - of the matrices that layers compute with */
  constructor(device: Device, shapes: readonly ParameterShape[], dtype: FloatType = "float32") {
    const matrices = shapes.filter(({ shape }) => shape.length > 1);
    const vectors = shapes.filter(({ shape }) => shape.length === 1);
    const starts = new Map<string, number>();
    let total = 0;
    const place = ({ name, shape }: ParameterShape): void => {
      starts.set(name, total);
      total += Math.ceil(sizeOf(shape) / alignment) * alignment;
    };
    for (const shape of matrices) place(shape);
    this.decayed = total;
    for (const shape of vectors) place(shape);
    this.values = device.zeros([total]);
    this.gradients = device.zeros([total]);
    this.#copies = dtype === "float32" ? undefined : device.zeros([this.decayed], dtype);
    const view = (flat: Tensor, { name, shape }: ParameterShape): Tensor => {
      const start = starts.get(name)!;
      return flat.slice(start, start + sizeOf(shape)).reshape(...shape);
    };
    this.list = shapes.map((shape) => ({
      ...shape,
      value: view((shape.shape.length > 1 && this.#copies) || this.values, shape),
      gradient: view(this.gradients, shape),
    }));
    this.#byName = new Map(this.list.map((parameter) => [parameter.name, parameter]));
    this.#starts = starts;
  }

  /** Makes the copies anew; enqueue it after every change of `values`. */
  refresh(stream: Stream): void {
    if (this.#copies === undefined) return;
    cast(stream, { from: this.values.slice(0, this.decayed), to: this.#copies });
  }

  /** @throws LibraError `INTERNAL` when there is none of that name */
  get(name: string): Parameter {
    const parameter = this.#byName.get(name);
    if (parameter === undefined) throw new LibraError("INTERNAL", `No parameter ${name}`);
    return parameter;
  }

  /** One flat column out of values by name; the inverse of {@link split}. */
  join(values: ReadonlyMap<string, Float32Array>): Float32Array {
    const flat = new Float32Array(this.values.size);
    for (const { name, shape } of this.list) {
      const data = values.get(name);
      if (data === undefined || data.length !== sizeOf(shape)) {
        throw new LibraError("INTERNAL", `No ${sizeOf(shape)} values for parameter ${name}`);
      }
      flat.set(data, this.#starts.get(name)!);
    }
    return flat;
  }

  /** Values by name, views into a flat column of values, gradients or optimizer state. */
  split(flat: Float32Array): Map<string, { shape: readonly number[]; data: Float32Array }> {
    return new Map(
      this.list.map(({ name, shape }) => {
        const start = this.#starts.get(name)!;
        return [name, { shape, data: flat.subarray(start, start + sizeOf(shape)) }];
      }),
    );
  }
}
