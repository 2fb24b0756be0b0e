import { OwnedIntervals } from "../exchange/owned-intervals.js";
import type { SequenceLines } from "../plan/sequence-lines.js";

/** Row blocks × head group of a sequence. */
export interface GreedyTile {
  sequence: number;
  headStart: number;
  headEnd: number;
  rowStart: number;
  rowEnd: number;
  startCost: number;
  endCost: number;
}

/** A key row range between two borders of a sequence's grid. */
interface Strip {
  rowStart: number;
  rowEnd: number;
}

/**
 * Elements that a tile adds to the exchange when it goes to a worker: queries and outputs of rows
 * that the worker does not own, keys and values that it neither owns nor holds already.
 */
export class CommunicationCost {
  private readonly strips: Strip[][];
  /** Strips of keys that a worker holds: `worker · (Σ KV heads × strips) + place`. */
  private readonly held: Uint8Array;
  private readonly places: number;
  private readonly firstPlace: number[] = [];
  private readonly owned: OwnedIntervals[];

  constructor(
    private readonly lines: SequenceLines,
    private readonly tiles: readonly GreedyTile[],
  ) {
    const { poolSize, workers, heads } = lines;
    const { cp } = lines.input;
    this.strips = Array.from({ length: poolSize }, (_, s) => gridStrips(lines, tiles, s));
    let places = 0;
    for (const strips of this.strips) {
      this.firstPlace.push(places);
      places += strips.length * heads.kvHeads;
    }
    this.places = places;
    this.held = new Uint8Array(workers * places);
    this.owned = Array.from({ length: workers }, (_, w) => {
      const intervals = new OwnedIntervals();
      const sequence = Math.floor(w / cp);
      intervals.load(lines.input.owned[sequence]!, w % cp);
      return intervals;
    });
  }

  added(tile: number, worker: number): number {
    const { sequence, headStart, headEnd, rowStart, rowEnd } = this.tiles[tile]!;
    const { queryHeads, kvHeads, headDim, valueDim } = this.lines.heads;
    const home = Math.floor(worker / this.lines.input.cp) === sequence;
    const ownRows = home ? this.ownRows(worker, rowStart, rowEnd) : 0;
    let elements = (rowEnd - rowStart - ownRows) * (headEnd - headStart);
    const group = queryHeads / kvHeads;
    const lastGroup = Math.floor((headEnd - 1) / group);
    for (let g = Math.floor(headStart / group); g <= lastGroup; g++) {
      this.eachStrip(tile, g, (place, strip) => {
        if (this.held[worker * this.places + place] === 1) return;
        const own = home ? this.ownRows(worker, strip.rowStart, strip.rowEnd) : 0;
        elements += strip.rowEnd - strip.rowStart - own;
      });
    }
    return elements * (headDim + valueDim);
  }

  place(tile: number, worker: number): void {
    const { headStart, headEnd } = this.tiles[tile]!;
    const group = this.lines.heads.queryHeads / this.lines.heads.kvHeads;
    const lastGroup = Math.floor((headEnd - 1) / group);
    for (let g = Math.floor(headStart / group); g <= lastGroup; g++) {
      this.eachStrip(tile, g, (place) => {
        this.held[worker * this.places + place] = 1;
      });
    }
  }

  private eachStrip(tile: number, kvHead: number, visit: (place: number, strip: Strip) => void) {
    const { sequence, rowStart, rowEnd } = this.tiles[tile]!;
    const strips = this.strips[sequence]!;
    const first = this.firstPlace[sequence]! + kvHead * strips.length;
    const keyStart = this.lines.documentStart(sequence, rowStart);
    strips.forEach((strip, i) => {
      if (strip.rowStart >= keyStart && strip.rowEnd <= rowEnd) visit(first + i, strip);
    });
  }

  private ownRows(worker: number, rowStart: number, rowEnd: number): number {
    const intervals = this.owned[worker]!;
    let rows = 0;
    intervals.seek(rowStart, rowEnd);
    while (intervals.next()) rows += intervals.rowEnd - intervals.rowStart;
    return rows;
  }
}

// Rows between the borders of tiles and of the documents in which tiles begin.
function gridStrips(lines: SequenceLines, tiles: readonly GreedyTile[], sequence: number): Strip[] {
  const borders = new Set<number>([0, lines.rows(sequence)]);
  for (const tile of tiles) {
    if (tile.sequence !== sequence) continue;
    borders.add(tile.rowStart);
    borders.add(tile.rowEnd);
    borders.add(lines.documentStart(sequence, tile.rowStart));
  }
  const sorted = Float64Array.from(borders).sort();
  const strips: Strip[] = [];
  for (let i = 0; i + 1 < sorted.length; i++) {
    strips.push({ rowStart: sorted[i]!, rowEnd: sorted[i + 1]! });
  }
  return strips;
}
