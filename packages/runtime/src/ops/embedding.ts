import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

/**
 * Rows of a table, float32 or bfloat16. An id outside it fails the stream.
 *
 * @param ids - int32 [T]
 * @param table - [V, N]
 * @param out - [T, N]
 */
export function embedding(stream: Stream, args: { ids: Tensor; table: Tensor; out: Tensor }): void {
  const check = new OperatorCheck("embedding", stream);
  const ids = check.tensor("ids", args.ids, "int32", ["T"]);
  const lead = check.lead("table", args.table);
  const table = check.tensor("table", args.table, lead, ["V", "N"]);
  const out = check.tensor("out", args.out, lead, ["T", "N"]);
  check.apart("out", args.out, { table: args.table });
  native().embedding(
    check.stream,
    ...([...ids, ...table, ...out] as const),
    ...([check.extent("T"), check.extent("V"), check.extent("N")] as const),
    dtypeCode[lead.dtype],
  );
}

/**
 * Adds the rows of `dOut` with equal ids, in token order whatever the number of threads.
 *
 * @param ids - int32 [T]
 * @param dOut - [T, N], float32 or bfloat16
 * @param dTable - [V, N], float32
 * @param accumulate - add to `dTable` (default false: rows without an id become 0)
 */
export function embeddingBackward(
  stream: Stream,
  args: { ids: Tensor; dOut: Tensor; dTable: Tensor; accumulate?: boolean | undefined },
): void {
  const check = new OperatorCheck("embeddingBackward", stream);
  const ids = check.tensor("ids", args.ids, "int32", ["T"]);
  const lead = check.lead("dOut", args.dOut);
  const dOut = check.tensor("dOut", args.dOut, lead, ["T", "N"]);
  const dTable = check.tensor("dTable", args.dTable, "float32", ["V", "N"]);
  check.apart("dTable", args.dTable, { dOut: args.dOut });
  native().embeddingBackward(
    check.stream,
    ...([...ids, ...dOut, ...dTable] as const),
    ...([check.extent("T"), check.extent("V"), check.extent("N")] as const),
    ...([args.accumulate ?? false, dtypeCode[lead.dtype]] as const),
  );
}
