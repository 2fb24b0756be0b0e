import type { ModelSizes } from "./sizes.js";

/** One parameter: its Hugging Face name and shape; linear weights are [outputs, inputs]. */
export interface ParameterShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** The name of a layer's parameter: layerName(3, "mlp.up_proj") is model.layers.3.mlp.up_proj.weight. */
export function layerName(layer: number, part: string): string {
  return `model.layers.${layer}.${part}.weight`;
}

export const embeddingName = "model.embed_tokens.weight";
export const finalNormName = "model.norm.weight";
export const headName = "lm_head.weight";

/**
 * Every parameter of the model in Hugging Face's order. A tied head is the embedding's weight and has
 * no entry of its own, so that it is counted, clipped and updated once.
 */
export function parameterShapes(sizes: ModelSizes): ParameterShape[] {
  const { hidden, intermediate, headDim } = sizes;
  const queries = sizes.queryHeads * headDim;
  const keys = sizes.kvHeads * headDim;
  const shapes: ParameterShape[] = [{ name: embeddingName, shape: [sizes.vocabulary, hidden] }];
  for (let layer = 0; layer < sizes.layers; layer += 1) {
    const parts: Record<string, readonly number[]> = {
      "self_attn.q_proj": [queries, hidden],
      "self_attn.k_proj": [keys, hidden],
      "self_attn.v_proj": [keys, hidden],
      "self_attn.o_proj": [hidden, queries],
      "self_attn.q_norm": [headDim],
      "self_attn.k_norm": [headDim],
      "mlp.gate_proj": [intermediate, hidden],
      "mlp.up_proj": [intermediate, hidden],
      "mlp.down_proj": [hidden, intermediate],
      input_layernorm: [hidden],
      post_attention_layernorm: [hidden],
    };
    for (const [part, shape] of Object.entries(parts)) {
      shapes.push({ name: layerName(layer, part), shape });
    }
  }
  shapes.push({ name: finalNormName, shape: [hidden] });
  if (!sizes.tieWordEmbeddings) {
    shapes.push({ name: headName, shape: [sizes.vocabulary, hidden] });
  }
  return shapes;
}

/** Number of values in all parameters. */
export function parameterCount(sizes: ModelSizes): number {
  return parameterShapes(sizes).reduce((sum, { shape }) => sum + sizeOf(shape), 0);
}

/** Product of the lengths. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}
