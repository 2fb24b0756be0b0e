import type { Links } from "@libra/cost-model";

/** Links whose times are easy to follow: 1 GB/s inside a node, a tenth of it outside. */
export const links: Links = [
  { latency: 0, bandwidth: 1e10 },
  { latency: 1e-6, bandwidth: 1e9 },
  { latency: 1e-5, bandwidth: 1e8 },
  { latency: 1e-5, bandwidth: 1e8 },
];

/** The same links, `factor` times slower. */
export function slower(factor: number): Links {
  return links.map(({ latency, bandwidth }) => ({
    latency: latency * factor,
    bandwidth: bandwidth / factor,
  })) as unknown as Links;
}
