import { LibraError } from "@libra/base";
import type { BlockList, ExchangeProgram, Transfer } from "./exchange-program.js";

/**
 * Checks that the programs of all workers of a plan belong together: what each sends is what the
 * other expects, chunk by chunk and hop by hop.
 *
 * @param programs - one per worker, in worker order
 * @param elementBytes - bytes of one element, for the message; 4 by default
 * @throws LibraError `MISMATCH` that names source, destination and bytes on both sides
 */
export function validateExchange(programs: readonly ExchangeProgram[], elementBytes = 4): void {
  const first = programs[0];
  if (first === undefined) return;
  for (const program of programs) {
    const same =
      program.workers === programs.length &&
      program.hops === first.hops &&
      program.chunks.length === first.chunks.length;
    if (same) continue;
    throw new LibraError(
      "MISMATCH",
      `Worker ${program.worker} has a program of ${program.workers} workers, ${program.hops} hops and ${program.chunks.length} chunks; worker 0 of ${programs.length} has ${first.hops} hops and ${first.chunks.length} chunks`,
    );
  }
  const bytes = {
    query: first.heads.headDim * elementBytes,
    key: first.heads.headDim * elementBytes,
  };
  for (let chunk = 0; chunk < first.chunks.length; chunk++) {
    for (const direction of ["dispatch", "return"] as const) {
      for (let hop = 0; hop < first.chunks[chunk]![direction].length; hop++) {
        for (const kind of ["query", "key"] as const) {
          const transfers = programs.map((p) => p.chunks[chunk]![direction][hop]![kind]);
          const where = `${direction} of ${kind} vectors, chunk ${chunk}, hop ${hop + 1}`;
          checkTransfers(transfers, where, bytes[kind]);
        }
      }
    }
  }
}

function checkTransfers(transfers: readonly Transfer[], where: string, bytes: number): void {
  const workers = transfers.length;
  for (let source = 0; source < workers; source++) {
    for (let destination = 0; destination < workers; destination++) {
      const sent = vectorsOf(transfers[source]!.send, destination) * bytes;
      const expected = vectorsOf(transfers[destination]!.receive, source) * bytes;
      if (sent === expected) continue;
      throw new LibraError(
        "MISMATCH",
        `${where}: source ${source} sends ${sent} bytes to destination ${destination}, which expects ${expected} bytes`,
        { details: { source, destination, sent, expected } },
      );
    }
  }
}

function vectorsOf(list: BlockList, peer: number): number {
  let vectors = 0;
  for (let b = list.peerOffsets[peer]!; b < list.peerOffsets[peer + 1]!; b++) {
    vectors += list.rows[b]! * list.width[b]!;
  }
  return vectors;
}
