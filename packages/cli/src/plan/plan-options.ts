import { sourceFormats } from "@libra/sampler";
import { type Command, Option } from "commander";
import { parseCount } from "../parse-count.js";
import { type TileOptions, tileOptions } from "../tiles/tile-options.js";

/** The options of `libra plan`, as commander hands them over. */
export interface PlanOptions extends TileOptions {
  window?: number;
  dp: number;
  microSteps: number;
  poolSize: number | "auto";
  cp: number;
  sync: "step" | "microStep" | "pipeline";
  stages?: number;
  placement: string;
  profile?: string;
  packing: string;
  overlong: string;
  alignment: number;
  seed: number;
  shuffle: boolean;
  order: string;
  dropLast: boolean;
  epoch: number;
  steps?: number;
  format?: string;
  column?: string;
  values?: string;
  unit?: string;
  endToken?: number;
  tokenBytes?: number;
  out?: string;
  as?: "ndjson" | "binary";
  overwrite?: boolean;
  trace?: string;
  traceSteps: number;
  json?: boolean;
  megatronCache?: string;
  microBatch: number;
  consumedSamples: number;
  data?: string;
  dataRoot?: string;
  dryRun?: boolean;
}

const groups: Array<{ title: string; options: Option[] }> = [
  {
    title: "Training shape:",
    options: [
      count("--window <tokens>", "tokens of one packed sequence"),
      count("--dp <n>", "replicas (data parallel size)").makeOptionMandatory(),
      count("--micro-steps <n>", "packed sequences of each replica in a step").default(1),
      new Option("--pool-size <n>", "replicas that share attention work, a divisor of dp; or auto")
        .argParser((text) => (text === "auto" ? text : parseCount(text)))
        .default(1),
      count("--cp <n>", "ranks that share one packed sequence").default(1),
      new Option("--sync <where>", "where pools wait for each other")
        .choices(["step", "microStep", "pipeline"])
        .default("step"),
      count("--stages <n>", "pipeline stages, with --sync pipeline"),
    ],
  },
  {
    title: "Packing and order:",
    options: [
      new Option("--packing <name>", "how documents fill windows")
        .choices(["concatSplit", "bestFit", "sequential"])
        .default("concatSplit"),
      new Option("--overlong <policy>", "documents longer than the window")
        .choices(["split", "truncate", "drop", "error"])
        .default("split"),
      count("--alignment <tokens>", "pad documents to multiples of this").default(1),
      count("--seed <n>", "seed of the shuffle").default(0),
      new Option("--no-shuffle", "keep the corpus's order"),
      new Option("--order <name>", "whose shuffle: Libra's or torch.randperm's")
        .choices(["libra", "torch"])
        .default("libra"),
      new Option("--no-drop-last", "plan the incomplete last step too, with fillers of weight 0"),
      new Option("--placement <name>", "strategy, for example libra or arrival").default("libra"),
      new Option("--profile <file>", "calibration profile: cost in measured time, not in pairs"),
      count("--epoch <n>", "epoch to plan").default(0),
      count("--steps <n>", "plan only the first steps of the epoch"),
    ],
  },
  {
    title: "Reading lengths:",
    options: [
      new Option("--format <name>", "read LENGTHS as this, not by content").choices(sourceFormats),
      new Option("--column <name>", "column, field, array or tar member that tells lengths"),
      new Option("--values <kind>", "what the numbers are").choices(["lengths", "offsets"]),
      new Option("--unit <unit>", "Megatron: a length per document or per sequence").choices([
        "documents",
        "sequences",
      ]),
      count("--end-token <id>", "raw token files: the id that ends a document"),
      count("--token-bytes <n>", "raw token files: bytes of a token"),
    ],
  },
  {
    title: "Output:",
    options: [
      new Option("--out <file>", "write the plan; - writes NDJSON to standard output"),
      new Option(
        "--as <kind>",
        "layout of --out; default by its name: .ndjson, else binary",
      ).choices(["ndjson", "binary"]),
      new Option("--overwrite", "replace outputs that exist"),
      new Option("--trace <file>", "write a Chrome trace (open it in Perfetto)"),
      count("--trace-steps <n>", "steps of the trace").default(4),
      new Option("--json", "print the summary as JSON"),
    ],
  },
  { title: "Tiles: which rank computes what (with --tiles):", options: tileOptions },
  {
    title: "Megatron's cache (in place of LENGTHS):",
    options: [
      new Option("--megatron-cache <path>", "write the order into this cache; see the guide"),
      count("--micro-batch <n>", "Megatron's --micro-batch-size").default(1),
      count("--consumed-samples <n>", "samples already trained on: their order stays").default(0),
      new Option(
        "--data <path>",
        "the data's .idx, where the cache's description does not lead there",
      ),
      new Option("--data-root <folder>", "folder that the cache's dataset_path starts from"),
      new Option("--dry-run", "report only"),
    ],
  },
];

/** Declares the options, in groups. */
export function addPlanOptions(command: Command): void {
  for (const { title, options } of groups) {
    for (const option of options) command.addOption(option.helpGroup(title));
  }
}

function count(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseCount);
}
