import { readFileSync } from "node:fs";
import { LibraError } from "@libra/base";
import { z } from "zod";
import { checkSizes, type ModelSizes } from "./sizes.js";

const count = z.int().positive();

// Fields that change the result but are not listed are refused below; others (token ids, dropout 0)
// do not matter for training here.
const configSchema = z.looseObject({
  model_type: z.literal("qwen3"),
  vocab_size: count,
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: count,
  head_dim: count.optional(),
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().optional(),
  rope_parameters: z
    .looseObject({ rope_theta: z.number().positive(), rope_type: z.string().default("default") })
    .optional(),
  rope_scaling: z.unknown().optional(),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  attention_dropout: z.number().default(0),
  hidden_act: z.string().default("silu"),
  use_sliding_window: z.boolean().default(false),
});

/**
 * Reads a Hugging Face config.json of a dense Qwen3 model, as version 5 of transformers writes it
 * (`rope_parameters.rope_theta`) or older ones (`rope_theta`).
 *
 * @throws LibraError `FORMAT` for a file that cannot be read, `UNSUPPORTED` for a model that computes
 *   something else than Qwen3 dense with plain RoPE and full causal attention
 */
export function readModelConfig(path: string): ModelSizes {
  const config = parse(path);
  refuseOthers(path, config);
  const ropeTheta = config.rope_parameters?.rope_theta ?? config.rope_theta;
  if (ropeTheta === undefined) {
    throw new LibraError("FORMAT", `${path}: rope_parameters.rope_theta or rope_theta is missing`);
  }
  const sizes: ModelSizes = {
    layers: config.num_hidden_layers,
    hidden: config.hidden_size,
    queryHeads: config.num_attention_heads,
    kvHeads: config.num_key_value_heads,
    headDim: config.head_dim ?? config.hidden_size / config.num_attention_heads,
    intermediate: config.intermediate_size,
    vocabulary: config.vocab_size,
    ropeTheta,
    normEpsilon: config.rms_norm_eps,
    tieWordEmbeddings: config.tie_word_embeddings,
  };
  checkSizes(sizes, path);
  return sizes;
}

function parse(path: string): z.infer<typeof configSchema> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new LibraError("FORMAT", `Cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new LibraError("FORMAT", `${path} is no Qwen3 configuration: ${issues.join("; ")}`);
}

function refuseOthers(path: string, config: z.infer<typeof configSchema>): void {
  const scaled = config.rope_scaling !== undefined && config.rope_scaling !== null;
  const ropeType = config.rope_parameters?.rope_type ?? "default";
  const others = [
    config.attention_bias && "attention_bias: true",
    config.attention_dropout !== 0 && `attention_dropout: ${config.attention_dropout}`,
    config.hidden_act !== "silu" && `hidden_act: ${config.hidden_act}`,
    config.use_sliding_window && "use_sliding_window: true",
    scaled && "rope_scaling",
    ropeType !== "default" && `rope_parameters.rope_type: ${ropeType}`,
  ].filter((entry) => entry !== false);
  if (others.length > 0) {
    throw new LibraError("UNSUPPORTED", `${path}: Libra does not implement ${others.join(", ")}`);
  }
}

/** The config.json of a model as transformers 5 writes it; older versions read `rope_theta`. */
export function modelConfigJson(sizes: ModelSizes, window: number): Record<string, unknown> {
  return {
    architectures: ["Qwen3ForCausalLM"],
    attention_bias: false,
    attention_dropout: 0,
    dtype: "float32",
    head_dim: sizes.headDim,
    hidden_act: "silu",
    hidden_size: sizes.hidden,
    intermediate_size: sizes.intermediate,
    max_position_embeddings: window,
    model_type: "qwen3",
    num_attention_heads: sizes.queryHeads,
    num_hidden_layers: sizes.layers,
    num_key_value_heads: sizes.kvHeads,
    rms_norm_eps: sizes.normEpsilon,
    rope_parameters: { rope_theta: sizes.ropeTheta, rope_type: "default" },
    rope_theta: sizes.ropeTheta,
    tie_word_embeddings: sizes.tieWordEmbeddings,
    torch_dtype: "float32",
    use_sliding_window: false,
    vocab_size: sizes.vocabulary,
  };
}
