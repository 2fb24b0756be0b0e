import { expected } from "@libra/base";

/** Element types of tensors. */
export type DType = "float32" | "bfloat16" | "int32" | "float64";

/** Types that a model's activations and matrices may have. */
export type FloatType = "float32" | "bfloat16";

/** The JavaScript array of a {@link DType}; a Float32Array for bfloat16. */
export type TensorData = Float32Array | Int32Array | Float64Array;

const dtypes: readonly DType[] = Object.freeze(["float32", "bfloat16", "int32", "float64"]);

/** The number by which native code knows a type; see the enumeration in libra.h. */
export const dtypeCode = Object.freeze({ float32: 0, int32: 1, float64: 2, bfloat16: 3 });

export const elementBytes = Object.freeze({ float32: 4, int32: 4, float64: 8, bfloat16: 2 });

export function requireDType(value: unknown, name: string): DType {
  const found = dtypes.find((dtype) => dtype === value);
  if (found === undefined) throw expected(`one of ${dtypes.join(", ")}`, name, value);
  return found;
}

/** A typed array over bytes that came from native code, which widens bfloat16. */
export function viewOf(dtype: DType, bytes: ArrayBuffer): TensorData {
  if (dtype === "int32") return new Int32Array(bytes);
  return dtype === "float64" ? new Float64Array(bytes) : new Float32Array(bytes);
}

/** The values as the typed array of the type; the given array itself when it is one. */
export function arrayOf(dtype: DType, values: TensorData | readonly number[]): TensorData {
  if (dtype === "int32") return values instanceof Int32Array ? values : new Int32Array(values);
  if (dtype === "float64")
    return values instanceof Float64Array ? values : new Float64Array(values);
  return values instanceof Float32Array ? values : new Float32Array(values);
}

/** float32 for plain numbers. */
export function dtypeOf(values: TensorData | readonly number[]): DType {
  if (values instanceof Int32Array) return "int32";
  return values instanceof Float64Array ? "float64" : "float32";
}
