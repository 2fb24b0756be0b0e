import { LibraError } from "@libra/base";
import { resolvePacking, resolvePlacement, type SamplerOptions } from "../options.js";
import type { SegmentTable } from "../packing/types.js";
import { buildPlan } from "../plan/build-plan.js";
import type { StepPlan } from "../plan/step-plan.js";
import { type Piece, StreamPacker, type StreamReport } from "./stream-packer.js";

type PackingAndPlacement = Omit<
  SamplerOptions,
  "lengths" | "seed" | "shuffle" | "order" | "cp" | "dropLast"
>;

/** Options of {@link placeBatches}: a sampler's without those of an epoch. */
export interface PlaceBatchesOptions<Item> extends PackingAndPlacement {
  /**
   * Tokens of a document; or, for a pipeline that packs by itself, the tokens of each document in
   * an already packed sequence, which then stays as it is.
   */
  readonly lengthOf: (item: Item) => number | ArrayLike<number>;
  /** Default true: an incomplete last step is not given. False: it has fillers of weight 0. */
  readonly dropLast?: boolean;
}

/** One step with what it is made of. */
export interface PlacedStep<Item> {
  /** `segmentDocument` is an index into `items`; `segmentStart` counts tokens of that item. */
  readonly plan: StepPlan;
  /** Items of the step in order of arrival. One that is cut between steps is in both. */
  readonly items: readonly Item[];
  /** Number of each item in the stream, from 0. */
  readonly itemNumbers: Float64Array;
  /** Counts since the stream began. */
  readonly report: StreamReport;
}

/**
 * Places the documents, or packed sequences, of a stream step by step, in order of arrival. Nothing
 * is read before the consumer asks for the next step, and no more is held than one step's items and,
 * for `bestFit`, one look-ahead (default 4096 documents here).
 *
 * @throws LibraError LENGTHS naming the item whose length is wrong or above the window;
 * UNSUPPORTED for a placement that changes the step
 */
export async function* placeBatches<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: PlaceBatchesOptions<Item>,
): AsyncGenerator<PlacedStep<Item>, void, undefined> {
  const packing = resolvePacking({ lookAhead: 4096, ...options });
  const { shape, placement, cost } = resolvePlacement(options);
  if (placement.changesStep) {
    throw new LibraError(
      "UNSUPPORTED",
      `Placement ${placement.name} keeps documents for later steps; placeBatches takes one that keeps the step`,
    );
  }
  const context = { shape, placement, cost, window: packing.window, alignment: packing.alignment };
  const perStep = shape.pools * shape.poolSize * shape.microSteps;
  const packer = new StreamPacker<Item>(packing);
  let step = 0;
  for await (const item of source) {
    packer.add(item, options.lengthOf(item));
    while (packer.ready.length >= perStep) yield nextStep();
  }
  packer.end();
  while (packer.ready.length >= (options.dropLast === false ? 1 : perStep)) yield nextStep();

  function nextStep(): PlacedStep<Item> {
    const sequences = packer.ready.splice(0, perStep);
    const { segments, items, itemNumbers } = tableOf(sequences);
    const first = step * perStep;
    const plan = buildPlan({ epoch: 0, step, first, segments }, context);
    step++;
    return { plan, items, itemNumbers, report: packer.report() };
  }
}

function tableOf<Item>(sequences: readonly (readonly Piece<Item>[])[]) {
  const pieces = sequences.flat();
  const numbers = [...new Set(pieces.map(({ number }) => number))].sort((a, b) => a - b);
  const indexOf = new Map(numbers.map((number, index) => [number, index]));
  const items = new Array<Item>(numbers.length);
  for (const { number, item } of pieces) items[indexOf.get(number)!] = item;
  const offsets = new Uint32Array(sequences.length + 1);
  for (const [i, sequence] of sequences.entries()) offsets[i + 1] = offsets[i]! + sequence.length;
  const segments: SegmentTable = {
    offsets,
    document: Uint32Array.from(pieces, ({ number }) => indexOf.get(number)!),
    start: Uint32Array.from(pieces, ({ start }) => start),
    length: Uint32Array.from(pieces, ({ length }) => length),
  };
  return { segments, items, itemNumbers: Float64Array.from(numbers) };
}
