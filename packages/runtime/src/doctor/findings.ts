import type { Attempt } from "../native/load.js";
import type { Gpu } from "./gpus.js";
import type { KernelChoice } from "./kernels.js";
import type { Launcher } from "./launcher.js";
import type { Software } from "./libraries.js";
import type { Limits } from "./limits.js";
import type { Processor } from "./processor.js";
import type { Rates } from "./rates.js";

/** Everything that the doctor looked at, before it is judged. */
export interface Findings {
  /** Of this package. */
  readonly version: string;
  readonly system: string;
  readonly node: string;
  /** The versions of Node that this package runs on: ">=20.19". */
  readonly nodeWanted: string;
  readonly processor: Processor;
  readonly limits: Limits;
  /** Addons tried; the last one loads unless it has a problem. */
  readonly native: readonly Attempt[];
  /** Absent where the addon does not load. */
  readonly kernels: KernelChoice | undefined;
  readonly software: Software;
  readonly gpus: readonly Gpu[];
  readonly gpuDriver: string | undefined;
  readonly launcher: Launcher;
  /** Absent when nothing was measured. */
  readonly rates: Rates | undefined;
}
