// The whole configuration of a run. Every key has a default that works; unknown keys are refused.
import { type HardwareName, hardware } from "@libra/cost-model";
import { plannerNames } from "@libra/scheduler";
import { ownedRowsNames } from "@libra/topology";
import { z } from "zod";

const count = z.int().positive();
const words = <const Word extends string>(...list: [Word, ...Word[]]) => z.enum(list);

const modelSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .optional()
    .describe("folder with config.json and model.safetensors to start from; its sizes then hold"),
  layers: count.default(4),
  hidden: count.default(256),
  queryHeads: count.max(65_536).default(8),
  kvHeads: count.default(2),
  headDim: count.default(64),
  intermediate: count.default(768),
  ropeTheta: z.number().positive().default(1e6),
  normEpsilon: z.number().positive().default(1e-6),
  tieWordEmbeddings: z.boolean().default(false),
});

const dataSchema = z.strictObject({
  corpus: words("npm", "text", "jsonl").default("npm"),
  packages: z.array(z.string().min(1)).min(1).default(["zod", "vitest", "vite", "typescript"]),
  paths: z.array(z.string().min(1)).default([]).describe("files or folders of text and jsonl"),
  field: z.string().min(1).default("text").describe("key of the text in a line of jsonl"),
  maxDocumentTokens: count.default(65_536).describe("longer documents are left out and counted"),
  ids: words("remap", "tokenizer")
    .default("remap")
    .describe("remap: only ids that occur; tokenizer: Qwen3's own ids, for Qwen3's own weights"),
  vocabularySize: z.int().min(2).default(4096).describe("greatest number of ids, unknown included"),
  lengthScale: z
    .number()
    .positive()
    .max(1)
    .default(1 / 8)
    .describe("part of a document kept"),
  cache: z.string().min(1).optional().describe("folder of tokenised corpora; default OUTPUT/cache"),
});

const layoutSchema = z.strictObject({
  dp: count.default(2),
  cp: count.default(1),
  tp: z.literal(1).default(1),
  pp: z.literal(1).default(1),
  ranksPerNode: count.optional().describe("where nodes end, for `hops`; default: all are one node"),
});

const batchSchema = z.strictObject({
  window: z
    .int()
    .min(2)
    .max(2 ** 31 - 1)
    .default(4096)
    .describe("tokens in one packed sequence"),
  microSteps: count.max(4096).default(1).describe("all of a step's are planned before it begins"),
  poolSize: count
    .optional()
    .describe("replicas that share attention; default: dp's largest divisor up to 8"),
  placement: words("libra", "arrival").default("libra"),
  sync: words("step", "microStep").default("step"),
  shuffle: z.boolean().default(true),
  dropLast: z.boolean().default(true),
});

// A union's own message would tell only of its part that came nearest.
function isTolerance(value: unknown): boolean {
  return value === "auto" || (typeof value === "number" && value >= 0 && value <= 1);
}

const strategySchema = z.strictObject({
  planner: z.enum(plannerNames).default("libra"),
  scope: words("pool", "world")
    .default("pool")
    .describe("disaggregated only: ranks among which work moves"),
  tolerance: z
    .custom<number | "auto">(isTolerance, "Expected a number from 0 to 1, or auto")
    .default(0.01)
    .describe("auto (libra only): the one whose predicted time on `hardware` is least"),
  hardware: z.enum(Object.keys(hardware) as HardwareName[]).default("h100"),
  granularity: words("row", "kvGroup").default("row"),
  surplus: words("heads", "documents")
    .default("heads")
    .describe("what leaves a group first (libra only); documents: fewest bytes between nodes"),
  fill: words("spread", "packed").default("spread"),
  chunks: count.default(4),
  hops: z
    .literal([1, 2])
    .default(1)
    .describe("2: what a node needs of another crosses between them once"),
  keepTiles: z
    .boolean()
    .default(false)
    .describe("keep Q, K and V on the workers until backward instead of sending them again"),
  ownedRows: z
    .enum(ownedRowsNames)
    .default("contiguous")
    .describe("striped suits surplus: documents"),
});

const optimizerSchema = z.strictObject({
  learningRate: z.number().positive().default(1e-3),
  warmupSteps: z.int().nonnegative().default(5),
  beta1: z.number().min(0).lt(1).default(0.9),
  beta2: z.number().min(0).lt(1).default(0.95),
  epsilon: z.number().positive().default(1e-8),
  weightDecay: z.number().nonnegative().default(0.1),
  clipNorm: z.number().positive().default(1),
});

const checkpointSchema = z.strictObject({
  every: z.int().nonnegative().default(0).describe("steps between checkpoints; 0: only at the end"),
  overwrite: z.boolean().default(false).describe("remove checkpoints of an earlier run"),
  resume: z.boolean().default(false).describe("go on from the run's newest checkpoint"),
});

const runtimeSchema = z.strictObject({
  timeoutMs: count.default(30_000),
  planAhead: z
    .boolean()
    .default(true)
    .describe("plan the next step while the native threads compute the current one"),
  checkPlansEvery: z
    .int()
    .nonnegative()
    .default(0)
    .describe("steps between comparisons of the ranks' plans; 0: only before the first step"),
  threads: count.optional().describe("compute threads of a rank; default: cores / ranks"),
  instructionSet: words("base", "avx2", "avx512", "arm64").optional(),
});

/** The configuration file of `libra train`. */
export const configSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^(?!\.\.?$)[\w.-]+$/,
      "Expected letters, digits, dots, dashes or underscores, and not . or ..",
    )
    .default("train"),
  output: z.string().min(1).default("runs").describe("folder of runs; this run is OUTPUT/NAME"),
  seed: z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1)
    .default(0),
  steps: count.default(20),
  dtype: words("float32", "bfloat16")
    .default("float32")
    .describe(
      "of matrices and activations; bfloat16 keeps float32 masters, gradients and reductions",
    ),
  model: modelSchema.prefault({}),
  data: dataSchema.prefault({}),
  layout: layoutSchema.prefault({}),
  batch: batchSchema.prefault({}),
  strategy: strategySchema.prefault({}),
  optimizer: optimizerSchema.prefault({}),
  checkpoint: checkpointSchema.prefault({}),
  runtime: runtimeSchema.prefault({}),
});

/** A whole, checked configuration. */
export type TrainConfig = z.output<typeof configSchema>;
export type DataConfig = TrainConfig["data"];
export type StrategyConfig = TrainConfig["strategy"];
export type OptimizerConfig = TrainConfig["optimizer"];
