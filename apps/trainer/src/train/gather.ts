import type { Rank, Stream } from "@libra/runtime";

/**
 * Some numbers of every rank, on every rank; all call it with equally many.
 *
 * @returns [rank][number]
 */
export async function gatherNumbers(
  rank: Rank,
  stream: Stream,
  numbers: readonly number[],
): Promise<Float64Array[]> {
  const input = rank.device.fromArray(Float64Array.from(numbers), [numbers.length]);
  const output = rank.device.empty([rank.size * numbers.length], "float64");
  rank.world.allGather(stream, input, output);
  const all = Float64Array.from(await stream.read(output));
  input.free();
  output.free();
  return Array.from({ length: rank.size }, (_, r) =>
    all.subarray(r * numbers.length, (r + 1) * numbers.length),
  );
}
