/** Ids as the model knows them and what they stand for. */
export interface Vocabulary {
  /** Token ids of the tokenizer by model id; entry 0 stands for the unknown id and is −1. */
  readonly tokens: Int32Array;
  /** Different ids in the corpus before the cap. */
  readonly occurring: number;
  /** Tokens of the corpus that became the unknown id. */
  readonly unknown: number;
}

/** The model id of every token left out by the cap. */
const unknownId = 0;

/**
 * Renumbers ids to those that occur, in place: 1, 2, … by falling frequency (ties: lower id), so that
 * a cap leaves out the rarest; the rest become {@link unknownId}.
 *
 * @param cap - greatest vocabulary, the unknown id included
 */
export function remapIds(documents: readonly Int32Array[], cap: number): Vocabulary {
  const counts = new Map<number, number>();
  for (const ids of documents) {
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const byFrequency = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const kept = byFrequency.slice(0, cap - 1).map(([id]) => id);
  const modelIds = new Map(kept.map((id, index) => [id, index + 1]));
  let unknown = 0;
  for (const ids of documents) {
    for (let i = 0; i < ids.length; i += 1) {
      const modelId = modelIds.get(ids[i]!) ?? unknownId;
      if (modelId === unknownId) unknown += 1;
      ids[i] = modelId;
    }
  }
  return { tokens: Int32Array.from([-1, ...kept]), occurring: counts.size, unknown };
}

/** The tokenizer's own ids; for a corpus that was renumbered without a cap. */
export function restoreIds(ids: Int32Array, tokens: readonly number[]): Int32Array {
  return ids.map((id) => tokens[id]!);
}
