import { ownedIndices } from "@libra/topology";
import { expect } from "vitest";
import {
  type BlockList,
  bufferIds,
  type ExchangeProgram,
  exchangeProgram,
  type Hop,
  type TilePlan,
  validateExchange,
} from "../../src/index.js";

type Buffers = Record<number, Float64Array>;

/** Runs a plan's whole exchange on vectors labelled by integers and checks where each one ends. */
export function simulateExchange(plan: TilePlan, hops: 1 | 2 = 1): ExchangeProgram[] {
  const programs = Array.from({ length: plan.workers }, (_, w) =>
    exchangeProgram(plan, w, { hops }),
  );
  validateExchange(programs);
  checkStaging(plan, programs);
  checkReturnedQueries(plan, programs);
  checkSummedKeys(plan, programs);
  return programs;
}

// An expectation per vector would take most of the tests' time.
function same(received: unknown, wanted: unknown): void {
  if (received !== wanted) expect(received).toBe(wanted);
}

function label(sequence: number, row: number, head: number): number {
  return 1 + (sequence * 2 ** 20 + row) * 2 ** 6 + head;
}

function homes(
  plan: TilePlan,
  heads: number,
  value: (s: number, row: number, h: number) => number,
) {
  return Array.from({ length: plan.workers }, (_, w) => {
    const s = Math.floor(w / plan.cp);
    const rows = ownedIndices(plan.owned[s]!, w % plan.cp);
    return Float64Array.from({ length: rows.length * heads }, (_, i) =>
      value(s, rows[Math.floor(i / heads)]!, i % heads),
    );
  });
}

function* vectors(list: BlockList, peer: number): Generator<[buffer: number, index: number]> {
  for (let b = list.peerOffsets[peer]!; b < list.peerOffsets[peer + 1]!; b++) {
    for (let g = 0; g < list.rows[b]!; g++) {
      for (let i = 0; i < list.width[b]!; i++) {
        yield [list.buffer[b]!, list.offset[b]! + g * list.stride[b]! + i];
      }
    }
  }
}

// Moves vectors of one kind through one hop; every destination vector is written at most once.
function move(
  hops: readonly Hop[],
  kind: "query" | "key",
  from: readonly Buffers[],
  to: readonly Buffers[],
) {
  const workers = hops.length;
  for (let a = 0; a < workers; a++) {
    for (let b = 0; b < workers; b++) {
      const source = [...vectors(hops[a]![kind].send, b)];
      const destination = [...vectors(hops[b]![kind].receive, a)];
      same(source.length, destination.length);
      source.forEach(([buffer, index], i) => {
        const [toBuffer, toIndex] = destination[i]!;
        const target = to[b]![toBuffer]!;
        same(index < from[a]![buffer]!.length, true);
        same(toIndex < target.length, true);
        same(Number.isNaN(target[toIndex]!), true);
        target[toIndex] = from[a]![buffer]![index]!;
      });
    }
  }
}

const { end, relay } = bufferIds;
const join = (ends: readonly Float64Array[], relays: readonly Float64Array[]): Buffers[] =>
  ends.map((buffer, w) => ({ [end]: buffer, [relay]: relays[w]! }));

const empty = (size: number) => new Float64Array(size).fill(Number.NaN);

function checkStaging(plan: TilePlan, programs: readonly ExchangeProgram[]): void {
  const { queryHeads, kvHeads } = plan.heads;
  const group = queryHeads / kvHeads;
  const name = (s: number, row: number, h: number) => label(s, row, h);
  const queryRelays = programs.map((p) => empty(p.buffers.relayQuery));
  const keyRelays = programs.map((p) => empty(p.buffers.relayKey));
  const queries = homes(plan, queryHeads, name);
  const keys = homes(plan, kvHeads, name);
  const stagedQueries = programs.map((p) => empty(p.buffers.stagingQuery));
  const stagedKeys = programs.map((p) => empty(p.buffers.stagingKey));
  for (let chunk = 0; chunk < plan.chunks; chunk++) {
    for (let h = 0; h < programs[0]!.hops; h++) {
      const hop = programs.map((p) => p.chunks[chunk]!.dispatch[h]!);
      move(hop, "query", join(queries, queryRelays), join(stagedQueries, queryRelays));
      move(hop, "key", join(keys, keyRelays), join(stagedKeys, keyRelays));
    }
    for (const program of programs) {
      const w = program.worker;
      const first = program.chunkTileOffsets[chunk]!;
      for (let i = first; i < program.chunkTileOffsets[chunk + 1]!; i++) {
        const t = program.tiles[i]!;
        const s = plan.sequence[t]!;
        const heads = plan.headCount[t]!;
        for (let r = 0; r < plan.rowCount[t]!; r++) {
          for (let h = 0; h < heads; h++) {
            const expected = label(s, plan.rowStart[t]! + r, plan.headStart[t]! + h);
            same(stagedQueries[w]![program.queryOffset[i]! + r * heads + h], expected);
          }
        }
        // Every key that the chunk's tiles read is there, before the chunk runs.
        const last = Math.floor((plan.headStart[t]! + heads - 1) / group);
        for (let g = Math.floor(plan.headStart[t]! / group); g <= last; g++) {
          for (let k = 0; k < plan.keyCount[t]!; k++) {
            const row = plan.keyStart[t]! + k;
            same(stagedKeys[w]![keyVector(program, s, g, row)], label(s, row, g));
          }
        }
      }
    }
  }
  // Key rows travel once: every staged vector was written (move refuses a second write).
  for (const staged of [...stagedKeys, ...stagedQueries]) {
    expect(staged.every((value) => !Number.isNaN(value))).toBe(true);
  }
}

/** Vector of a key row in a worker's key staging. */
function keyVector(program: ExchangeProgram, s: number, kvHead: number, row: number): number {
  const { runs } = program;
  for (let i = 0; i < runs.sequence.length; i++) {
    const inside = row >= runs.rowStart[i]! && row < runs.rowStart[i]! + runs.rowCount[i]!;
    if (runs.sequence[i] === s && runs.kvHead[i] === kvHead && inside) {
      return runs.offset[i]! + row - runs.rowStart[i]!;
    }
  }
  throw new Error(`no key row ${row} of sequence ${s}, KV head ${kvHead}`);
}

function checkReturnedQueries(plan: TilePlan, programs: readonly ExchangeProgram[]): void {
  const staged = programs.map((program) => {
    const out = empty(program.buffers.stagingQuery);
    program.tiles.forEach((t, i) => {
      const heads = plan.headCount[t]!;
      for (let v = 0; v < plan.rowCount[t]! * heads; v++) {
        const row = plan.rowStart[t]! + Math.floor(v / heads);
        const head = plan.headStart[t]! + (v % heads);
        out[program.queryOffset[i]! + v] = label(plan.sequence[t]!, row, head);
      }
    });
    return out;
  });
  const relays = programs.map((p) => empty(p.buffers.relayQuery));
  const partial = programs.map((p) => empty(p.buffers.partialQuery));
  const home = programs.map((p) => empty(p.buffers.homeQuery));
  for (let chunk = 0; chunk < plan.chunks; chunk++) {
    for (let h = 0; h < programs[0]!.hops; h++) {
      const hop = programs.map((p) => p.chunks[chunk]!.return[h]!);
      const ends = plan.keyRanges ? partial : home;
      move(hop, "query", join(staged, relays), join(ends, relays));
    }
  }
  if (plan.keyRanges) mergeQueries(plan, programs, partial, home);
  const expected = homes(plan, plan.heads.queryHeads, (s, row, h) => label(s, row, h));
  expect(home).toEqual(expected);
}

// Every partial is merged once, into the vector it belongs to, as often as tiles hold the vector.
function mergeQueries(
  plan: TilePlan,
  programs: readonly ExchangeProgram[],
  partial: readonly Float64Array[],
  home: readonly Float64Array[],
): void {
  const holders = new Map<number, number>();
  for (let t = 0; t < plan.count; t++) {
    for (let v = 0; v < plan.rowCount[t]! * plan.headCount[t]!; v++) {
      const row = plan.rowStart[t]! + Math.floor(v / plan.headCount[t]!);
      const key = label(plan.sequence[t]!, row, plan.headStart[t]! + (v % plan.headCount[t]!));
      holders.set(key, (holders.get(key) ?? 0) + 1);
    }
  }
  for (const [w, { merge }] of programs.entries()) {
    for (let i = 0; i < merge.from.length; i++) {
      const width = merge.width[i]!;
      for (let v = 0; v < merge.rows[i]! * width; v++) {
        const g = Math.floor(v / width);
        const to = merge.to[i]! + g * merge.stride[i]! + (v % width);
        const value = partial[w]![merge.from[i]! + v]!;
        same(Number.isNaN(home[w]![to]!) || home[w]![to] === value, true);
        home[w]![to] = value;
        holders.set(value, holders.get(value)! - 1);
      }
    }
  }
  same(
    [...holders.values()].every((left) => left === 0),
    true,
  );
}

function checkSummedKeys(plan: TilePlan, programs: readonly ExchangeProgram[]): void {
  const { kvHeads, queryHeads } = plan.heads;
  const group = queryHeads / kvHeads;
  // A partial is worth one, so a home vector must end as the number of workers that use it.
  const staged = programs.map((p) => new Float64Array(p.buffers.stagingKey).fill(1));
  const partial = programs.map((p) => empty(p.buffers.partialKey));
  const relayPartial = programs.map((p) => empty(p.buffers.relayPartial));
  const relaySums = programs.map((p) => new Float64Array(p.buffers.relayKey));
  for (let chunk = 0; chunk < plan.chunks; chunk++) {
    const hops = programs[0]!.hops;
    for (let h = 0; h < hops; h++) {
      const hop = programs.map((p) => p.chunks[chunk]!.return[h]!);
      move(hop, "key", join(staged, relaySums), join(partial, relayPartial));
      if (h < hops - 1) {
        programs.forEach((program, w) => {
          const { from, to, rows, stride } = program.chunks[chunk]!.relayAdds;
          for (let i = 0; i < from.length; i++) {
            for (let g = 0; g < rows[i]!; g++) {
              relaySums[w]![to[i]! + g * stride[i]!]! += relayPartial[w]![from[i]! + g]!;
            }
          }
        });
      }
    }
  }
  const users = new Map<string, Set<number>>();
  for (let t = 0; t < plan.count; t++) {
    const last = Math.floor((plan.headStart[t]! + plan.headCount[t]! - 1) / group);
    for (let g = Math.floor(plan.headStart[t]! / group); g <= last; g++) {
      for (let k = 0; k < plan.keyCount[t]!; k++) {
        const key = `${plan.sequence[t]} ${plan.keyStart[t]! + k} ${g}`;
        users.set(key, (users.get(key) ?? new Set()).add(plan.worker[t]!));
      }
    }
  }
  const sums = programs.map((program, w) => {
    const { from, to, rows, stride } = program.accumulate;
    const home = new Float64Array(program.buffers.homeKey);
    const read = new Uint8Array(program.buffers.partialKey);
    for (let i = 0; i < from.length; i++) {
      for (let g = 0; g < rows[i]!; g++) {
        same(read[from[i]! + g]!++, 0);
        home[to[i]! + g * stride[i]!]! += partial[w]![from[i]! + g]!;
      }
    }
    expect(read.every((times) => times === 1)).toBe(true);
    return home;
  });
  const expected = homes(plan, kvHeads, (s, row, g) => users.get(`${s} ${row} ${g}`)?.size ?? 0);
  expect(sums).toEqual(expected);
}
