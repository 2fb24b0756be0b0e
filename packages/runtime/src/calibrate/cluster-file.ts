import { totalmem } from "node:os";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Calibration } from "./calibrate.js";

/**
 * This machine as a cluster description that the simulator reads (units in the names, powers of ten):
 * one node; the profile times attention. There is no other node, so farther links are the node's own.
 *
 * @param file - where the description will lie: the profile is named relative to it
 */
export function clusterFile(
  { profile, linear, rowBandwidth, links }: Calibration,
  { ranks, file, profileFile }: { ranks: number; file: string; profileFile: string },
): string {
  const figure = (value: number) => Number(value.toPrecision(4));
  const link = ({ latency, bandwidth }: (typeof links)["self"]) =>
    `{ latencyMicroseconds: ${figure(latency * 1e6)}, bandwidthGBs: ${figure(bandwidth / 1e9)} }`;
  return [
    `# Measured by libra calibrate on ${profile.date}: ${profile.kernel}, ${ranks} ranks.`,
    `name: ${JSON.stringify(profile.device)}`,
    `ranksPerNode: ${ranks}`,
    `cardsPerNode: ${ranks}`,
    `# Fastest matrix product that was measured, and the share of it that all of them reach.`,
    `peakTflops: ${figure(linear.best / 1e12)}`,
    `matrixShare: ${figure(Math.min(1, linear.mean / linear.best))}`,
    `memoryGB: ${figure(totalmem() / ranks / 1e9)}`,
    "# Bytes that row operators read and write, and what the optimizer is taken to reach too.",
    `rowBandwidthGBs: ${figure(rowBandwidth / 1e9)}`,
    `memoryBandwidthGBs: ${figure(rowBandwidth / 1e9)}`,
    "# Ranks of one host copy with their own cores.",
    "copies: compute",
    "links:",
    `  self: ${link(links.self)}`,
    `  sameNode: ${link(links.sameNode)}`,
    `  farther: ${link(links.sameNode)}`,
    `attention: { profile: ${JSON.stringify(pathBetween(file, profileFile))} }`,
    "",
  ].join("\n");
}

function pathBetween(file: string, target: string): string {
  if (isAbsolute(target)) return target;
  return relative(dirname(resolve(file)), resolve(target))
    .split(sep)
    .join("/");
}
