import {
  type AttentionTimer,
  efficiencyTimer,
  type Link,
  type Links,
  parseProfile,
  profileCost,
  profileTimer,
} from "@libra/cost-model";
import { CheckedRecord, parseYaml } from "./checked-record.js";
import { type Cluster, clusterByName } from "./cluster.js";

/** Reads the files that a cluster description names. */
export type ReadText = (path: string) => string;

const keys = [
  "name",
  "base",
  "ranksPerNode",
  "nodesPerRack",
  "cardsPerNode",
  "peakTflops",
  "matrixShare",
  "memoryGB",
  "memoryBandwidthGBs",
  "rowBandwidthGBs",
  "copies",
  "links",
  "attention",
];
const linkNames = ["self", "sameNode", "sameRack", "farther"] as const;

/**
 * A cluster described in YAML. With `base` (a preset) only what differs need be there; without, all
 * figures must. Units are in the names: GB and TFLOPs are powers of ten.
 *
 * ```yaml
 * base: h100-ib
 * cardsPerNode: 4
 * links:
 *   farther: { latencyMicroseconds: 5, bandwidthGBs: 25 }
 * attention: { profile: h100.json } # or forwardTflops and backwardTflops
 * rowBandwidthGBs: 900 # optional, as is `copies: compute`
 * ```
 *
 * @param readText - reads the calibration profile that `attention.profile` names
 * @throws LibraError `FORMAT` for text that is no YAML, `CONFIGURATION` with the path of the first
 *   figure that is missing, negative or unknown
 */
export function readCluster(text: string, readText?: ReadText): Cluster {
  const root = new CheckedRecord(parseYaml(text, "The cluster file"), "cluster", keys);
  const base = root.has("base") ? clusterByName(root.text("base")) : undefined;
  const ranksPerNode = root.number("ranksPerNode", { min: 1, integer: true }, base?.ranksPerNode);
  const peak = scaled(root, "peakTflops", 1e12, base?.peak);
  const share = root.number(
    "matrixShare",
    { inclusive: false, max: 1 },
    base ? base.matrixRate / base.peak : 0.7,
  );
  const nodesPerRack = root.has("nodesPerRack")
    ? root.number("nodesPerRack", { min: 1, integer: true })
    : base?.nodesPerRack;
  const rowBandwidth = root.has("rowBandwidthGBs")
    ? scaled(root, "rowBandwidthGBs", 1e9)
    : base?.rowBandwidth;
  return Object.freeze({
    name: root.text("name", base ? `custom ${base.name}` : "custom"),
    ranksPerNode,
    ...(nodesPerRack === undefined ? {} : { nodesPerRack }),
    cardsPerNode: root.number("cardsPerNode", { min: 1, integer: true }, ranksPerNode),
    links: readLinks(root, base?.links),
    matrixRate: peak * share,
    peak,
    memoryBytes: scaled(root, "memoryGB", 1e9, base?.memoryBytes),
    memoryBandwidth: scaled(root, "memoryBandwidthGBs", 1e9, base?.memoryBandwidth),
    ...(rowBandwidth === undefined ? {} : { rowBandwidth }),
    copies: root.oneOf("copies", ["links", "compute"], base?.copies ?? "links"),
    ...readAttention(root, peak, base, readText),
    sources: [...(base?.sources ?? []), "the cluster file"],
  });
}

function scaled(root: CheckedRecord, key: string, unit: number, fallback?: number): number {
  const plain = fallback === undefined ? undefined : fallback / unit;
  return root.number(key, { inclusive: false }, plain) * unit;
}

function readLinks(root: CheckedRecord, base: Links | undefined): Links {
  if (!root.has("links") && base !== undefined) return base;
  const links = root.record("links", linkNames);
  return Object.freeze(
    linkNames.map((name, i) => {
      // Racks that are not described are as far as any other node.
      const key = name === "sameRack" && !links.has(name) ? "farther" : name;
      if (!links.has(key) && base !== undefined) return base[i]!;
      const link = links.record(key, ["latencyMicroseconds", "bandwidthGBs"]);
      return Object.freeze<Link>({
        latency: link.number("latencyMicroseconds") / 1e6,
        bandwidth: link.number("bandwidthGBs", { inclusive: false }) * 1e9,
      });
    }),
  ) as unknown as Links;
}

// What times attention kernels: a calibration profile, or constant speeds.
function readAttention(
  root: CheckedRecord,
  peak: number,
  base: Cluster | undefined,
  readText: ReadText | undefined,
): Pick<Cluster, "timer" | "cost"> {
  if (!root.has("attention") && base !== undefined) return { timer: base.timer };
  const attention = root.record("attention", ["profile", "forwardTflops", "backwardTflops"]);
  if (attention.has("profile")) return readProfile(attention, readText);
  const shares = (["forwardTflops", "backwardTflops"] as const).map((key) => {
    const rule = { inclusive: false, max: peak / 1e12 };
    const table = { rows: [1], keys: [1], shares: [[(attention.number(key, rule) * 1e12) / peak]] };
    return { full: table, causal: table };
  });
  const [forward, backward] = shares as [(typeof shares)[0], (typeof shares)[0]];
  return {
    timer: (heads): AttentionTimer =>
      efficiencyTimer({ name: "constant", peak, forward, backward, ...heads }),
  };
}

function readProfile(
  attention: CheckedRecord,
  readText: ReadText | undefined,
): Required<Pick<Cluster, "timer" | "cost">> {
  if (readText === undefined) {
    throw attention.refuse("profile", "no file (none can be read here)");
  }
  const profile = parseProfile(readText(attention.text("profile")));
  const timer = profileTimer(profile);
  return { timer: () => timer, cost: profileCost(profile) };
}
