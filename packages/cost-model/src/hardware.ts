import { requireNumber, requireOneOf } from "@libra/base";
import {
  ampereMeasurements,
  blackwellMeasurements,
  densePeaks,
  hopperMeasurements,
} from "./attention-measurements.js";
import { efficiencyTimer, type PassEfficiency } from "./efficiency-timer.js";
import type { Link, Links } from "./links.js";
import type { AttentionTimer } from "./timer.js";

/** Kind of network between nodes. */
export type Network = "infiniband" | "roce";

/** One device and the node around it. */
export interface Hardware {
  readonly name: string;
  /** Dense bf16 FLOPs per second, as published. */
  readonly peak: number;
  /** Bytes of device memory. */
  readonly memoryBytes: number;
  /** Bytes per second of device memory. */
  readonly memoryBandwidth: number;
  readonly ranksPerNode: number;
  /** Between two devices of a node. */
  readonly node: Link;
  /** One network card per device. */
  readonly networks: Readonly<Record<Network, Link>>;
  readonly attention: { readonly forward: PassEfficiency; readonly backward: PassEfficiency };
  readonly sources: readonly string[];
}

// Share of NVLink's published bandwidth that one direction reaches between two H100: 380 of 450 GB/s,
// github.com/NVIDIA/nccl issue 1264.
const nvlinkShare = 380 / 450;

// Latencies: the upper ends that fridayswithfaraday.com/posts/gpu-hw-nvlink-nvswitch-interconnect
// gives for NVLink (1–2 µs), InfiniBand NDR (1–5 µs) and 400 Gb/s RoCE (2–10 µs).
function nvlink(publishedBothWays: number): Link {
  return Object.freeze({ latency: 2e-6, bandwidth: (publishedBothWays / 2) * nvlinkShare });
}

function cards(gigabits: number): Record<Network, Link> {
  const bandwidth = (gigabits * 1e9) / 8;
  return Object.freeze({
    infiniband: Object.freeze({ latency: 5e-6, bandwidth }),
    roce: Object.freeze({ latency: 10e-6, bandwidth }),
  });
}

const attentionSource = "attention speeds: see attention-measurements.ts";

/** Presets by name: eight SXM devices a node, one network card each (the DGX and HGX layout). */
export const hardware = Object.freeze({
  a100: Object.freeze<Hardware>({
    name: "a100",
    peak: densePeaks.a100 * 1e12,
    memoryBytes: 80e9,
    memoryBandwidth: 2.039e12,
    ranksPerNode: 8,
    node: nvlink(600e9),
    networks: cards(200),
    attention: ampereMeasurements,
    sources: [
      "NVIDIA A100 Tensor Core GPU datasheet (SXM, 80 GB): 312 TFLOPS, 2,039 GB/s, NVLink 600 GB/s",
      "NVIDIA DGX A100 datasheet: 8 ConnectX-6 at 200 Gb/s",
      attentionSource,
    ],
  }),
  h100: Object.freeze<Hardware>({
    name: "h100",
    peak: densePeaks.h100 * 1e12,
    memoryBytes: 80e9,
    memoryBandwidth: 3.35e12,
    ranksPerNode: 8,
    node: nvlink(900e9),
    networks: cards(400),
    attention: hopperMeasurements,
    sources: [
      "NVIDIA H100 Tensor Core GPU datasheet (SXM): 1,979 TFLOPS with sparsity, 3.35 TB/s, NVLink 900 GB/s",
      "NVIDIA DGX H100 datasheet: 8 ConnectX-7 at 400 Gb/s",
      attentionSource,
    ],
  }),
  h200: Object.freeze<Hardware>({
    name: "h200",
    peak: densePeaks.h100 * 1e12,
    memoryBytes: 141e9,
    memoryBandwidth: 4.8e12,
    ranksPerNode: 8,
    node: nvlink(900e9),
    networks: cards(400),
    attention: hopperMeasurements,
    sources: [
      "NVIDIA H200 Tensor Core GPU datasheet (SXM): the H100's TFLOPS and NVLink, 141 GB, 4.8 TB/s",
      "NVIDIA DGX H200 datasheet: ConnectX-7 at 400 Gb/s",
      "attention as on H100: Dao-AILab/flash-attention issue 1438 measures within 4 %",
      attentionSource,
    ],
  }),
  b200: Object.freeze<Hardware>({
    name: "b200",
    peak: densePeaks.b200 * 1e12,
    memoryBytes: 180e9,
    memoryBandwidth: 8e12,
    ranksPerNode: 8,
    node: nvlink(1800e9),
    networks: cards(400),
    attention: blackwellMeasurements,
    sources: [
      "NVIDIA HGX B200 at 1,000 W: 36 PFLOPS with sparsity for 8, 8 TB/s each, NVLink 1.8 TB/s",
      "NVIDIA DGX B200 datasheet: 1,440 GB for 8, ConnectX-7 at 400 Gb/s",
      attentionSource,
    ],
  }),
});

/** Name of a hardware preset. */
export type HardwareName = keyof typeof hardware;

/**
 * A hardware preset by name.
 *
 * @throws LibraError `ARGUMENT` that lists the names
 */
export function hardwareByName(name: string): Hardware {
  return hardware[requireOneOf(name, "hardware", Object.keys(hardware) as HardwareName[])];
}

/**
 * The timer of a preset's measured attention. The measurements are of head dim 128; other head
 * dims are predicted at the same share of peak.
 */
export function hardwareTimer(
  preset: Hardware,
  heads: { headDim: number; valueDim?: number } = { headDim: 128 },
): AttentionTimer {
  const { name, peak, attention } = preset;
  return efficiencyTimer({ name, peak, ...attention, ...heads });
}

/**
 * The four links of a preset. A copy on the device reads and writes its memory; racks of a
 * non-blocking network are as far as any other node.
 *
 * @param network - default `infiniband`
 */
export function hardwareLinks(preset: Hardware, network: Network = "infiniband"): Links {
  const far = preset.networks[requireOneOf(network, "network", ["infiniband", "roce"])];
  const self = Object.freeze({ latency: 2e-6, bandwidth: preset.memoryBandwidth / 2 });
  return Object.freeze([self, preset.node, far, far] as const);
}

/**
 * FLOPs per second of matrix products: `peak × share`.
 *
 * @param share - default 0.7, our assumption for large bf16 products
 */
export function matrixRate(preset: Hardware, share = 0.7): number {
  return preset.peak * requireNumber(share, "share", Number.MIN_VALUE, 1);
}
