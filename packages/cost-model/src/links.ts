import { expected, requireInteger, requireNumber } from "@libra/base";

/** One way between two ranks; both directions work at the same time. */
export interface Link {
  /** Seconds before the first byte. */
  readonly latency: number;
  /** Bytes per second in one direction. */
  readonly bandwidth: number;
}

/** Links by class, nearest first: self, same node, same rack, farther. */
export type Links = readonly [self: Link, sameNode: Link, sameRack: Link, farther: Link];

/** Link classes: the length of {@link Links}. */
export const linkClassCount = 4;

/** Seconds of one transfer: `latency + bytes / bandwidth`; zero bytes take no time. */
export function transferTime(link: Link, bytes: number): number {
  return bytes === 0 ? 0 : link.latency + bytes / link.bandwidth;
}

/** Bytes that every rank sends and receives in an exchange, by link class. */
export interface Traffic {
  readonly ranks: number;
  /** `[rank][class]`, flat: index `rank × 4 + class`. */
  readonly sent: Float64Array;
  /** The same layout. */
  readonly received: Float64Array;
}

/** Empty traffic of `ranks` ranks. */
export function createTraffic(ranks: number): Traffic {
  requireInteger(ranks, "ranks", 1);
  const size = ranks * linkClassCount;
  return Object.freeze({
    ranks,
    sent: new Float64Array(size),
    received: new Float64Array(size),
  });
}

/** Adds bytes from one rank to another over a link class. */
export function addTraffic(
  traffic: Traffic,
  source: number,
  destination: number,
  linkClass: number,
  bytes: number,
): void {
  traffic.sent[source * linkClassCount + linkClass]! += bytes;
  traffic.received[destination * linkClassCount + linkClass]! += bytes;
}

/** Largest bytes of one rank in one direction, by link class. */
export interface BusiestBytes {
  /** Largest bytes sent by one rank, per class. */
  readonly egress: Float64Array;
  /** Largest bytes received by one rank, per class. */
  readonly ingress: Float64Array;
}

/** The busiest rank's bytes by link class and direction. */
export function busiestBytes(traffic: Traffic): BusiestBytes {
  const largest = (bytes: Float64Array) => {
    const most = new Float64Array(linkClassCount);
    bytes.forEach((value, i) => {
      most[i % linkClassCount] = Math.max(most[i % linkClassCount]!, value);
    });
    return most;
  };
  return { egress: largest(traffic.sent), ingress: largest(traffic.received) };
}

/** Seconds of an exchange on each link class: the maximum over ranks and directions. */
export function exchangeTimes(links: Links, traffic: Traffic): Float64Array {
  const { egress, ingress } = busiestBytes(traffic);
  return Float64Array.from(links, (link, i) =>
    transferTime(link, Math.max(egress[i]!, ingress[i]!)),
  );
}

/**
 * Seconds of a whole exchange. Copies, the node's links and the network work side by side; the two
 * network classes leave through the same card, so their times add.
 */
export function exchangeTime(links: Links, traffic: Traffic): number {
  const [self, sameNode, sameRack, farther] = exchangeTimes(links, traffic);
  return Math.max(self!, sameNode!, sameRack! + farther!);
}

/**
 * Checks links.
 *
 * @returns the links
 * @throws LibraError `ARGUMENT` unless there are four with latency ≥ 0 and bandwidth > 0
 */
export function requireLinks(links: readonly Link[], name = "links"): Links {
  if (links.length !== linkClassCount) {
    throw expected("four links (self, sameNode, sameRack, farther)", name, links);
  }
  links.forEach((link, i) => {
    requireNumber(link.latency, `${name}[${i}].latency`, 0);
    requireNumber(link.bandwidth, `${name}[${i}].bandwidth`, Number.MIN_VALUE);
  });
  return links as unknown as Links;
}
