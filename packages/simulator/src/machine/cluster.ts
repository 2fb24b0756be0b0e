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
  /**
   * Bytes per second at which norms, rotations, activations and the loss stream rows; absent: they
   * take no time of their own (fused, or part of what `matrixRate` leaves of the peak).
   */
  readonly rowBandwidth?: number;
  /**
   * What copies inside a node: `links` beside the kernels, or (ranks of one host) the receiving rank's
   * own `compute` units, so that no copy hides behind a kernel. Default `links`.
   */
  readonly copies?: "links" | "compute";
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
  if (!clusterNames.includes(name)) throw unknownName("cluster", name, clusterNames, orFile);
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

/** What may be given in place of a preset's name. */
export const orFile = "; or a YAML file";

/**
 * The error for a name that does not exist.
 *
 * @param instead - what else may be given in place of a name
 */
export function unknownName(
  kind: string,
  name: string,
  valid: readonly string[],
  instead = "",
): LibraError {
  const close = nearest(name, valid);
  const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : ".";
  return new LibraError(
    "ARGUMENT",
    `Unknown ${kind} ${JSON.stringify(name)}${hint} Valid: ${valid.join(", ")}${instead}`,
    { details: { name, valid, nearest: close } },
  );
}

/** How ranks fill the cluster's nodes. */
export function nodeLayout({ ranksPerNode, nodesPerRack }: Cluster): NodeLayout {
  return nodesPerRack === undefined ? { ranksPerNode } : { ranksPerNode, nodesPerRack };
}
