import { LibraError } from "@libra/base";

/** What the rewriter needs of Megatron's own command line. */
export interface TrainingShape {
  dp: number;
  microSteps: number;
  microBatch: number;
  window: number;
}

/**
 * Compares Megatron's arguments with the order that is about to be written, and refuses trainings
 * that would not read it or gain nothing from it.
 *
 * @param argv - the training's command line, as a list of words
 * @throws LibraError `UNSUPPORTED` for the cyclic sampler, batch-size ramp-up and training without
 *   per-document attention; `MISMATCH` where a size differs
 */
export function checkTrainingArguments(argv: readonly string[], shape: TrainingShape): void {
  const values = flags(argv);
  if (values.get("dataloader-type")?.[0] === "cyclic") {
    throw unsupported(
      "--dataloader-type cyclic draws an order of its own and ignores the cache's",
      "Train with --dataloader-type single",
    );
  }
  if (values.has("rampup-batch-size")) {
    throw unsupported(
      "--rampup-batch-size changes the global batch on the way, and the order is made for one",
      "Ramp the learning rate instead, or rewrite the cache once the batch is constant, with consumedSamples",
    );
  }
  if (!values.has("reset-attention-mask") && !values.has("sft")) {
    throw unsupported(
      "without --reset-attention-mask attention crosses document borders, so that every window costs the same and Libra brings nothing",
      "Train with --reset-attention-mask (or packed inputs), or leave the cache as it is",
    );
  }
  const { dp, microSteps, microBatch, window } = shape;
  compare(values, "micro-batch-size", microBatch);
  compare(values, "global-batch-size", dp * microSteps * microBatch);
  compare(values, "seq-length", window);
}

function compare(values: Map<string, string[]>, name: string, wanted: number): void {
  const given = values.get(name)?.[0];
  if (given === undefined || Number(given) === wanted) return;
  throw new LibraError(
    "MISMATCH",
    `Megatron's --${name} is ${given}, but dp, microSteps, microBatch and the cache make ${wanted}`,
    { details: { name, given, wanted } },
  );
}

function flags(argv: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  let current: string[] = [];
  for (const word of argv) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(word);
    if (match === null) current.push(word);
    else {
      current = match[2] === undefined ? [] : [match[2]];
      values.set(match[1]!.replaceAll("_", "-"), current);
    }
  }
  return values;
}

function unsupported(reason: string, wayOut: string): LibraError {
  return new LibraError("UNSUPPORTED", `${reason}. ${wayOut}.`);
}
