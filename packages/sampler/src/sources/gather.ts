// A damaged file may claim any total; beyond this, memory follows what really comes.
const mostAtOnce = 2 ** 24;

/**
 * Collects chunks into one array.
 *
 * @param total - number of lengths, where known: then memory is taken once
 */
export async function gather(
  chunks: AsyncIterable<Uint32Array>,
  total: number | undefined,
  onChunk?: (documents: number) => void,
): Promise<Uint32Array> {
  let lengths = new Uint32Array(Math.min(total ?? 1024, mostAtOnce));
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled + chunk.length > lengths.length) {
      const enough = Math.min(2 * lengths.length, total ?? Number.POSITIVE_INFINITY);
      const larger = new Uint32Array(Math.max(filled + chunk.length, enough));
      larger.set(lengths.subarray(0, filled));
      lengths = larger;
    }
    lengths.set(chunk, filled);
    filled += chunk.length;
    onChunk?.(filled);
  }
  return filled === lengths.length ? lengths : lengths.slice(0, filled);
}
