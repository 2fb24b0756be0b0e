import { LibraError } from "@libra/base";
import type { Communicator, Device, Stream } from "@libra/runtime";

/**
 * Compares a hash over the ranks of a communicator; all of them call it.
 *
 * @param hash - 16 hexadecimal digits
 * @param what - what was hashed, for the message
 * @throws LibraError `MISMATCH` on every rank, naming the ranks that differ from the first
 */
export async function agree(
  communicator: Communicator,
  device: Device,
  stream: Stream,
  hash: string,
  what: string,
): Promise<void> {
  const words = new Int32Array(BigUint64Array.of(BigInt(`0x${hash}`)).buffer);
  const input = device.fromArray(words, [2]);
  const output = device.empty([communicator.size * 2], "int32");
  communicator.allGather(stream, input, output);
  const all = await stream.read(output);
  input.free();
  output.free();
  const differs = (i: number) => all[2 * i] !== all[0] || all[2 * i + 1] !== all[1];
  const others = communicator.ranks.filter((_rank: number, i: number) => differs(i));
  if (others.length === 0) return;
  throw new LibraError(
    "MISMATCH",
    `Ranks computed different ${what}: ranks ${others.join(", ")} differ from rank ${communicator.ranks[0]}; do all read the same configuration and corpus?`,
    { details: { ranks: others } },
  );
}
