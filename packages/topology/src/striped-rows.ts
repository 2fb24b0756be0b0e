import { requireInteger } from "@libra/base";
import { requireCuSeqlens } from "./cu-seqlens.js";
import { linkClass, type NodeLayout } from "./links.js";
import type { OwnedRows } from "./owned-rows.js";
import { customRows } from "./row-partitions.js";

/** What striped rows depend on beside the documents. */
export interface StripeOptions {
  /** Where the ranks of the group sit; all in one node by default. */
  readonly nodes?: NodeLayout;
  /** Global ranks of the group's cp indices; 0 … cp − 1 by default. */
  readonly ranks?: readonly number[];
  /** Stripes of each rank in either part; 16 by default. */
  readonly stripes?: number;
}

// Documents of more than this share of the sequence are dealt to all nodes of the group.
const longShare = 1 / 16;

/**
 * Owned rows in stripes: a node's ranks own equal parts of every long document, so that whatever leaves
 * the node leaves through the links of all of them, and documents that are short against a stripe
 * lie with one rank. Documents stay in one node, except those of more than a sixteenth of the
 * sequence, which are dealt to the whole group. All ranks own the same number of rows, give or take
 * one a stripe.
 *
 * @param cuSeqlens - document borders of the packed sequence
 * @throws LibraError `ARGUMENT` for a bad border, number of ranks or of stripes
 */
export function stripedRows(
  cuSeqlens: ArrayLike<number>,
  cp: number,
  options: StripeOptions = {},
): OwnedRows {
  const borders = requireCuSeqlens(cuSeqlens);
  requireInteger(cp, "cp", 1);
  const stripes = requireInteger(options.stripes ?? 16, "stripes", 1);
  const groups = nodesOf(cp, options);
  const rows = borders[borders.length - 1]!;
  const owned: [number, number][][] = Array.from({ length: cp }, () => []);
  const long: Span[] = [];
  const rest: Span[] = [];
  for (let i = 1; i < borders.length; i++) {
    const span: Span = [borders[i - 1]!, borders[i]!];
    const isLong = groups.length > 1 && span[1] - span[0] > rows * longShare;
    (isLong ? long : rest).push(span);
  }
  deal(long, groups.flat(), stripes, owned);
  let given = 0;
  const total = length(rest);
  let dealt = 0;
  for (const group of groups) {
    given += group.length;
    const end = Math.round((total * given) / cp);
    deal(slice(rest, dealt, end), group, stripes, owned);
    dealt = end;
  }
  for (const intervals of owned) intervals.sort((a, b) => a[0] - b[0]);
  return customRows(rows, owned);
}

type Span = readonly [start: number, end: number];

// The cp indices of each run of ranks in one node.
function nodesOf(cp: number, { nodes, ranks }: StripeOptions): number[][] {
  const groups: number[][] = [];
  for (let c = 0; c < cp; c++) {
    const rank = (index: number) => (ranks === undefined ? index : ranks[index]!);
    const together = c > 0 && (nodes === undefined || linkClass(nodes, rank(c - 1), rank(c)) <= 1);
    if (together) groups[groups.length - 1]!.push(c);
    else groups.push([c]);
  }
  return groups;
}

// Equal stripes of the spans, end to end, to one rank after another.
function deal(
  spans: readonly Span[],
  ranks: readonly number[],
  stripes: number,
  owned: [number, number][][],
): void {
  const total = length(spans);
  const count = ranks.length * stripes;
  let stripe = 0;
  let done = 0;
  for (const [start, end] of spans) {
    for (let row = start; row < end; ) {
      const border = Math.round((total * (stripe + 1)) / count);
      const rows = Math.min(end - row, border - done);
      if (rows > 0) owned[ranks[stripe % ranks.length]!]!.push([row, row + rows]);
      row += rows;
      done += rows;
      if (done >= border) stripe++;
    }
  }
}

// The rows [from, to) of spans laid end to end.
function slice(spans: readonly Span[], from: number, to: number): Span[] {
  const part: Span[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    const first = Math.max(start, start + from - at);
    const last = Math.min(end, start + to - at);
    if (first < last) part.push([first, last]);
    at += end - start;
  }
  return part;
}

function length(spans: readonly Span[]): number {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}
