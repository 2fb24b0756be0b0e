import type { Tensor } from "@libra/runtime";
import type { SequenceRows } from "../data/sequence.js";
import type { Attend } from "../model/attend.js";
import { tokenLoss } from "../model/loss.js";
import type { Place } from "../model/place.js";
import type { Qwen3 } from "../model/qwen3.js";

/** One pass over the rows that a rank owns of a packed sequence. */
export interface MicroStep {
  readonly model: Qwen3;
  readonly rows: SequenceRows;
  readonly attend: Attend;
  /**
   * 1 ÷ number of targets of the global batch, 0 when it has none: the mean is taken here, no rank
   * and no micro-step has a mean of its own.
   */
  readonly scale: number;
  /** float64 [2]: the loss's sum over these rows and their number of targets are added to it. */
  readonly sums: Tensor;
}

/** Forward and backward; gradients are added to. Resolves when nearly all of it has run. */
export async function runMicroStep(place: Place, microStep: MicroStep): Promise<void> {
  const { device } = place;
  const { model, rows, attend, scale, sums } = microStep;
  const tensor = (column: Int32Array) => device.fromArray(column, [column.length]);
  const inputs = { ids: tensor(rows.ids), positions: tensor(rows.positions) };
  const { last, saved } = await model.forward(inputs, attend);
  const dLast = device.scope(() =>
    tokenLoss(place, model.head, { last, targets: tensor(rows.targets), scale, sums }),
  );
  await model.backward(saved, dLast);
}
