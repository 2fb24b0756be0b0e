import { expected, LibraError, requireNumber } from "@libra/base";
import { aligned, type SegmentTable } from "../packing/types.js";
import { IndexedHeap } from "./indexed-heap.js";
import type {
  RepackedSequences,
  RepackingContext,
  RepackingPlacement,
  RepackingRun,
} from "./types.js";

/** Options of {@link wlbPlacement}. */
export interface WlbPlacementOptions {
  /** Thresholds of the queues as shares of the window, ascending; default 1/4, 1/2, 3/4. */
  readonly thresholds?: readonly number[];
  /** Most tokens of a packed sequence as a multiple of the window, at least 1; default 1. */
  readonly cap?: number;
}

/** A document (or a piece of one) that waits: first token, tokens, step of arrival. */
interface Waiting {
  readonly document: number;
  readonly start: number;
  readonly length: number;
  readonly arrived: number;
}

interface SavedRun {
  readonly step: number;
  readonly queues: readonly (readonly Waiting[])[];
  readonly remainder: readonly Waiting[];
}

/**
 * WLB-LLM's Algorithm 1 (algorithms.md section 3), a baseline: variable-length packing by workload,
 * long documents delayed in queues until there is one for every packed sequence. It changes the
 * step's documents, so losses differ from a run in arrival order.
 */
export function wlbPlacement(options: WlbPlacementOptions = {}): RepackingPlacement {
  const { thresholds = [0.25, 0.5, 0.75], cap = 1 } = options;
  requireNumber(cap, "cap", 1);
  for (const [i, threshold] of thresholds.entries()) {
    if (!(threshold > (i === 0 ? 0 : thresholds[i - 1]!) && threshold <= 1)) {
      throw expected("ascending shares of the window", "thresholds", thresholds);
    }
  }
  return Object.freeze({
    name: "wlb",
    changesStep: true,
    begin: (context: RepackingContext, saved?: unknown) =>
      new WlbRun(context, thresholds, cap, saved as SavedRun | undefined),
  });
}

class WlbRun implements RepackingRun {
  private step = 0;
  private queues: Waiting[][];
  private remainder: Waiting[] = [];

  constructor(
    private readonly context: RepackingContext,
    private readonly thresholds: readonly number[],
    private readonly cap: number,
    saved: SavedRun | undefined,
  ) {
    this.queues = thresholds.map(() => []);
    if (!saved) return;
    if (saved.queues?.length !== thresholds.length || !Array.isArray(saved.remainder)) {
      throw new LibraError(
        "STATE",
        `The state's ${saved.queues?.length} queues are not this placement's ${thresholds.length}`,
      );
    }
    this.step = saved.step;
    this.queues = saved.queues.map((queue) => [...queue]);
    this.remainder = [...saved.remainder];
  }

  // What did not fit takes the place of arriving sequences, so that it cannot pile up.
  get wanted(): number {
    const { slots, window } = this.context;
    return Math.max(0, slots - Math.floor(tokensOf(this.remainder) / window));
  }

  repack(arriving: SegmentTable): RepackedSequences {
    const { slots, window, alignment, cost } = this.context;
    const most = Math.floor(this.cap * window);
    const load = new IndexedHeap(slots);
    const tokens = new IndexedHeap(slots);
    const packs: Waiting[][] = Array.from({ length: slots }, () => []);
    const left: Waiting[] = [];
    for (const piece of [...this.remainder, ...this.admit(arriving)]) {
      const size = aligned(piece.length, alignment);
      const fitting = [load.least, tokens.least].find((pack) => tokens.keys[pack]! + size <= most);
      if (fitting === undefined) {
        left.push(piece);
        continue;
      }
      packs[fitting]!.push(piece);
      load.grow(fitting, cost.prefix(size));
      tokens.grow(fitting, size);
    }
    this.remainder = left;
    const taken = packs.flat();
    const delays = taken.map(({ arrived }) => this.step - arrived).filter((delay) => delay > 0);
    const waiting = [...this.queues.flat(), ...left];
    this.step++;
    return {
      segments: tableOf(packs),
      report: {
        delayedDocuments: delays.length,
        delaySteps: delays.reduce((a, b) => a + b, 0),
        extraTokens: tokens.keys.reduce((sum, used) => sum + Math.max(0, used - window), 0),
        waitingDocuments: waiting.length,
        waitingTokens: tokensOf(waiting),
      },
    };
  }

  state(): SavedRun {
    return { step: this.step, queues: this.queues, remainder: this.remainder };
  }

  /** Queues the long ones, and gives what this step packs: shorter ones and ripe queues. */
  private admit(arriving: SegmentTable): Waiting[] {
    const { slots, window } = this.context;
    const fresh: Waiting[] = [];
    const { document, start, length } = arriving;
    for (let i = 0; i < document.length; i++) {
      const piece = {
        document: document[i]!,
        start: start[i]!,
        length: length[i]!,
        arrived: this.step,
      };
      const queue = this.thresholds.findLastIndex((share) => piece.length >= share * window);
      (queue < 0 ? fresh : this.queues[queue]!).push(piece);
    }
    for (const queue of this.queues) {
      if (queue.length >= slots) fresh.push(...queue.splice(0, slots));
    }
    return fresh.sort(
      (a, b) => b.length - a.length || a.document - b.document || a.start - b.start,
    );
  }
}

function tokensOf(pieces: readonly Waiting[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function tableOf(packs: readonly (readonly Waiting[])[]): SegmentTable {
  const pieces = packs.flat();
  const offsets = new Uint32Array(packs.length + 1);
  for (const [i, pack] of packs.entries()) offsets[i + 1] = offsets[i]! + pack.length;
  return {
    offsets,
    document: Uint32Array.from(pieces, (piece) => piece.document),
    start: Uint32Array.from(pieces, (piece) => piece.start),
    length: Uint32Array.from(pieces, (piece) => piece.length),
  };
}
