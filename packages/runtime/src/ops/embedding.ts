import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

/**
 * Rows of a table. An id outside it fails the stream.
 *
 * @param ids - int32 [T]
 * @param table - [V, N]
 * @param out - [T, N]
 */
export function embedding(stream: Stream, args: { ids: Tensor; table: Tensor; out: Tensor }): void {
  const check = new OperatorCheck("embedding", stream);
  const ids = check.tensor("ids", args.ids, "int32", ["T"]);
  const table = check.tensor("table", args.table, "float32", ["V", "N"]);
  const out = check.tensor("out", args.out, "float32", ["T", "N"]);
  check.apart("out", args.out, { table: args.table });
  native().embedding(
    check.stream,
    ...([...ids, ...table, ...out] as const),
    ...([check.extent("T"), check.extent("V"), check.extent("N")] as const),
  );
}

/**
 * Adds the rows of `dOut` with equal ids, in token order whatever the number of threads.
 *
 * @param ids - int32 [T]
 * @param dOut - [T, N]
 * @param dTable - [V, N]
 * @param accumulate - add to `dTable` (default false: rows without an id become 0)
 */
export function embeddingBackward(
  stream: Stream,
  args: { ids: Tensor; dOut: Tensor; dTable: Tensor; accumulate?: boolean | undefined },
): void {
  const check = new OperatorCheck("embeddingBackward", stream);
  const ids = check.tensor("ids", args.ids, "int32", ["T"]);
  const dOut = check.tensor("dOut", args.dOut, "float32", ["T", "N"]);
  const dTable = check.tensor("dTable", args.dTable, "float32", ["V", "N"]);
  check.apart("dTable", args.dTable, { dOut: args.dOut });
  native().embeddingBackward(
    check.stream,
    ...([...ids, ...dOut, ...dTable] as const),
    ...([check.extent("T"), check.extent("V"), check.extent("N")] as const),
    args.accumulate ?? false,
  );
}
