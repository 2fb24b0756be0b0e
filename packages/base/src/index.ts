/**
 * What every Libra package shares: errors with stable codes, checks of arguments and the plan hash.
 *
 * @packageDocumentation
 */
export { type ErrorCode, expected, LibraError, type LibraErrorOptions } from "./error.js";
export { nearest } from "./nearest.js";
export { requireArray, requireInteger, requireNumber, requireOneOf } from "./require.js";
export { wrongOption } from "./wrong-option.js";
export { xxh64, xxh64Bytes } from "./xxh64.js";
