import { expected } from "@libra/base";
import type { FloatType } from "@libra/runtime";

/** Bytes of the sums that stay float32 whatever the operator's type. */
export const sumBytes = 4;

/** Bytes of an element of the operator's tensors. */
export function bytesOf(dtype: FloatType): number {
  return dtype === "bfloat16" ? 2 : 4;
}

/** @throws LibraError `ARGUMENT` */
export function requireFloatType(value: unknown): FloatType {
  if (value === "float32" || value === "bfloat16") return value;
  throw expected("float32 or bfloat16", "dtype", value);
}
