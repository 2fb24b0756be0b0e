import { embedding, embeddingBackward, type Tensor } from "@libra/runtime";
import type { Parameter } from "./parameters.js";
import type { Place } from "./place.js";

/** Rows of a table by token id. */
export class Embedding {
  constructor(
    readonly place: Place,
    readonly table: Parameter,
  ) {}

  /** @param ids - [T] int32; @returns [T, hidden] */
  forward(ids: Tensor): Tensor {
    const table = this.table.value;
    const out = this.place.device.empty([ids.shape[0]!, this.table.shape[1]!], table.dtype);
    embedding(this.place.stream, { ids, table, out });
    return out;
  }

  /** Adds to the table's gradient; @param dOut - [T, hidden] */
  backward(ids: Tensor, dOut: Tensor): void {
    const dTable = this.table.gradient;
    embeddingBackward(this.place.stream, { ids, dOut, dTable, accumulate: true });
  }
}
