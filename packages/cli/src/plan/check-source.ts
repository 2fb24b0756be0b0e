import type { LengthSource, SourceFormat } from "@libra/sampler";
import { UsageError } from "../usage-error.js";
import type { PlanOptions } from "./plan-options.js";

/** Formats that look at an option; all others would pass over it. */
const readers = {
  column: [
    ...(["parquet", "arrow", "huggingFace", "mds", "npz", "ragged"] as const),
    ...(["webdataset", "jsonl", "csv"] as const),
  ],
  values: ["npy", "npz", "csv", "text"],
  unit: ["megatron"],
  endToken: ["tokens"],
  tokenBytes: ["tokens", "dolma", "mds"],
} as const satisfies Partial<Record<keyof PlanOptions, readonly SourceFormat[]>>;

const flags = {
  column: "--column",
  values: "--values",
  unit: "--unit",
  endToken: "--end-token",
  tokenBytes: "--token-bytes",
} as const;

/**
 * Refuses options that the format of the lengths has no use for. Several formats at once are left
 * alone: an option may be meant for one of them.
 *
 * @throws UsageError
 */
export function checkSource(
  { format, path }: Pick<LengthSource, "format" | "path">,
  options: Pick<PlanOptions, keyof typeof readers>,
): void {
  if (format === "several" || format === "memory") return;
  for (const name of Object.keys(readers) as Array<keyof typeof readers>) {
    const formats: readonly SourceFormat[] = readers[name];
    if (options[name] === undefined || formats.includes(format)) continue;
    throw new UsageError(
      `${flags[name]} has no meaning for ${path}, which is ${format}; it has one for ${formats.join(", ")}`,
    );
  }
}
