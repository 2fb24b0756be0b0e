import { BlockWriter } from "./block-writer.js";
import type { BlockList, ChunkProgram, Hop, OrderedAdds } from "./exchange-program.js";

/** Lists of one hop of one chunk while they are written; `back` lists are those of the return. */
export class HopWriters {
  readonly querySend = new BlockWriter();
  readonly queryReceive = new BlockWriter();
  readonly keySend = new BlockWriter();
  readonly keyReceive = new BlockWriter();
  readonly keyBackSend = new BlockWriter();
  readonly keyBackReceive = new BlockWriter();
  /** Plans with key ranges: where an owner receives outputs, block for block as `querySend`. */
  readonly queryBackReceive = new BlockWriter();

  begin(workers: number): void {
    this.querySend.begin(workers);
    this.queryReceive.begin(workers);
    this.keySend.begin(workers);
    this.keyReceive.begin(workers);
    this.keyBackSend.begin(workers);
    this.keyBackReceive.begin(workers);
    this.queryBackReceive.begin(workers);
  }

  /** What follows goes to this worker. */
  sendTo(peer: number): void {
    this.querySend.peer(peer);
    this.keySend.peer(peer);
    this.keyBackReceive.peer(peer);
    this.queryBackReceive.peer(peer);
  }

  /** What follows comes from this worker. */
  receiveFrom(peer: number): void {
    this.queryReceive.peer(peer);
    this.keyReceive.peer(peer);
    this.keyBackSend.peer(peer);
  }

  /** The hop of the dispatch and its mirror of the return. */
  finish(partialQueries: boolean): { dispatch: Hop; back: Hop } {
    const query = { send: this.querySend.finish(), receive: this.queryReceive.finish() };
    return {
      dispatch: {
        query,
        key: { send: this.keySend.finish(), receive: this.keyReceive.finish() },
      },
      back: {
        query: {
          send: query.receive,
          receive: partialQueries ? this.queryBackReceive.finish() : query.send,
        },
        key: { send: this.keyBackSend.finish(), receive: this.keyBackReceive.finish() },
      },
    };
  }
}

/** The lists of every chunk and hop of a program. */
export class ChunkWriters {
  chunks = 0;
  hops: 1 | 2 = 1;
  private readonly writers: HopWriters[][] = [];

  begin(chunks: number, hops: 1 | 2, workers: number): void {
    this.chunks = chunks;
    this.hops = hops;
    while (this.writers.length < chunks) this.writers.push([]);
    for (let c = 0; c < chunks; c++) {
      for (let h = 0; h < hops; h++) {
        this.writers[c]![h] ??= new HopWriters();
        this.writers[c]![h]!.begin(workers);
      }
    }
  }

  at(chunk: number, hop: number): HopWriters {
    return this.writers[chunk]![hop]!;
  }

  sendTo(hop: number, peer: number): void {
    for (let c = 0; c < this.chunks; c++) this.at(c, hop).sendTo(peer);
  }

  receiveFrom(hop: number, peer: number): void {
    for (let c = 0; c < this.chunks; c++) this.at(c, hop).receiveFrom(peer);
  }

  /** The return runs the hops backwards. */
  finish(partialQueries: boolean, relayAdds: (chunk: number) => OrderedAdds): ChunkProgram[] {
    return Array.from({ length: this.chunks }, (_, c) => {
      const hops = Array.from({ length: this.hops }, (_, h) =>
        this.at(c, h).finish(partialQueries && h === 0),
      );
      return Object.freeze({
        dispatch: hops.map((hop) => hop.dispatch),
        return: hops.map((hop) => hop.back).reverse(),
        relayAdds: relayAdds(c),
      });
    });
  }
}

/** Adds up the vectors of lists, by peer. */
export function countVectors(lists: readonly BlockList[], workers: number): Float64Array {
  const vectors = new Float64Array(workers);
  for (const list of lists) {
    for (let p = 0; p < workers; p++) {
      for (let b = list.peerOffsets[p]!; b < list.peerOffsets[p + 1]!; b++) {
        vectors[p]! += list.rows[b]! * list.width[b]!;
      }
    }
  }
  return vectors;
}
