import { LibraError, nearest } from "@libra/base";
import {
  type AttentionHeads,
  type AttentionTimer,
  type Hardware,
  hardware,
  hardwareLinks,
  hardwareTimer,
  type Links,
  matrixRate,
  type Network,
  type PlanningCost,
} from "@libra/cost-model";
import type { NodeLayout } from "@libra/topology";

/** Devices, nodes and the network between them. */
export interface Cluster {
  readonly name: string;
  readonly ranksPerNode: number;
  /** Absent: every other node is equally far. */
  readonly nodesPerRack?: number;
  /** Network cards of a node; its ranks share them evenly. */
  readonly cardsPerNode: number;
  /** By class: self, same node, same rack, farther; `bandwidth` of the last two is one card's. */
  readonly links: Links;
  /** FLOPs per second of matrix products that linear operators reach. */
  readonly matrixRate: number;
  /** Published dense FLOPs per second, what model FLOPs utilisation is a share of. */
  readonly peak: number;
  /** Bytes of a device's memory. */
  readonly memoryBytes: number;
  /** Bytes per second of a device's memory. */
  readonly memoryBandwidth: number;
  /** Times attention kernels over heads of these widths. */
  readonly timer: (heads: Pick<AttentionHeads, "headDim" | "valueDim">) => AttentionTimer;
  /** What planners balance, where a calibration profile describes the device; default: pairs. */
  readonly cost?: PlanningCost;
  /** Where the figures come from. */
  readonly sources: readonly string[];
}

const networks = { ib: "infiniband", roce: "roce" } as const satisfies Record<string, Network>;

/** Names of the cluster presets: a device and the network between its nodes. */
export const clusterNames: readonly string[] = Object.freeze(
  Object.keys(hardware).flatMap((name) => Object.keys(networks).map((net) => `${name}-${net}`)),
);

/**
 * A cluster preset: nodes of eight devices with NVLink and one network card each.
 *
 * @param name - device and network, as in `h100-ib`
 * @throws LibraError `ARGUMENT` that lists the presets, nearest first
 */
export function clusterByName(name: string): Cluster {
  if (!clusterNames.includes(name)) throw unknownPreset("cluster", name, clusterNames);
  const [device, network] = name.split("-") as [keyof typeof hardware, keyof typeof networks];
  return hardwareCluster(hardware[device], networks[network], name);
}

/** A cluster of the devices and nodes of a hardware preset. */
function hardwareCluster(device: Hardware, network: Network, name: string): Cluster {
  return Object.freeze({
    name,
    ranksPerNode: device.ranksPerNode,
    cardsPerNode: device.ranksPerNode,
    links: hardwareLinks(device, network),
    matrixRate: matrixRate(device),
    peak: device.peak,
    memoryBytes: device.memoryBytes,
    memoryBandwidth: device.memoryBandwidth,
    timer: (heads: Pick<AttentionHeads, "headDim" | "valueDim">) => hardwareTimer(device, heads),
    sources: device.sources,
  });
}

/** The error for a preset that does not exist. */
export function unknownPreset(kind: string, name: string, valid: readonly string[]): LibraError {
  const close = nearest(name, valid);
  const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
  return new LibraError(
    "ARGUMENT",
    `Unknown ${kind} ${JSON.stringify(name)}${hint} Presets: ${valid.join(", ")}; or a YAML file`,
    { details: { name, valid, nearest: close } },
  );
}

/** How ranks fill the cluster's nodes. */
export function nodeLayout({ ranksPerNode, nodesPerRack }: Cluster): NodeLayout {
  return nodesPerRack === undefined ? { ranksPerNode } : { ranksPerNode, nodesPerRack };
}
