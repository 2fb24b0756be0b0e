import { type Device, launchLocal, type Stream, type Tensor } from "../../src/index.js";

/** Runs an operator on one rank and reads the tensors that the function returns. */
export async function onOneRank(
  enqueue: (stream: Stream, device: Device) => Record<string, Tensor>,
): Promise<Record<string, number[]>> {
  const [values] = await launchLocal(1, async (rank) => {
    const { device } = rank;
    const compute = rank.stream("compute");
    const entries = Object.entries(enqueue(compute, device)).map(
      async ([name, tensor]) => [name, Array.from(await compute.read(tensor))] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  });
  return values!;
}

/** Largest difference relative to the largest wanted magnitude. */
export function distance(got: readonly number[] | undefined, want: readonly number[]): number {
  if (got?.length !== want.length) return Number.POSITIVE_INFINITY;
  const scale = Math.max(1e-30, ...want.map(Math.abs));
  return Math.max(0, ...want.map((value, i) => Math.abs(value - got[i]!) / scale));
}
