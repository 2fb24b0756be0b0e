import { createRequire } from "node:module";
import type { Binding } from "../native/binding.js";
import { tryAddons } from "../native/load.js";
import { native as loadNative } from "../native/native.js";
import type { SearchPlaces } from "./find-library.js";
import type { Findings } from "./findings.js";
import { findGpus } from "./gpus.js";
import { chooseKernels } from "./kernels.js";
import { readLauncher } from "./launcher.js";
import { findSoftware } from "./libraries.js";
import { type Limits, readLimits } from "./limits.js";
import { findProblems, type Problem } from "./problems.js";
import { type Processor, readProcessor } from "./processor.js";
import { measureRates } from "./rates.js";

const require = createRequire(import.meta.url);

/** What Libra will do on this machine, unless told otherwise. */
interface Uses {
  readonly device: "cpu";
  /** All ranks in one process: this version has no other. */
  readonly transport: "local";
  /** Compute threads of a rank, by number of ranks. */
  readonly threads: ReadonlyArray<{ readonly ranks: number; readonly threads: number }>;
}

/** The doctor's answer, as `--json` prints it. */
export interface Examination extends Findings {
  /** Whether Libra can run here. */
  readonly ok: boolean;
  readonly uses: Uses;
  readonly problems: readonly Problem[];
}

export interface ExamineOptions extends SearchPlaces {
  readonly measure: boolean;
}

/** Looks at the machine; loads nothing but Libra's own native part, once a child process could. */
export function examine(options: ExamineOptions): Examination {
  const { files, environment, measure } = options;
  const { version, engines } = require("@libra/runtime/package.json") as {
    version: string;
    engines: { node: string };
  };
  const processor = readProcessor(files);
  const limits = readLimits(files);
  const attempts = tryAddons(environment);
  const native = attempts.at(-1)?.problem === undefined ? loadNative() : undefined;
  const kernels = native === undefined ? undefined : chooseKernels(native, environment);
  const { gpus, driver } = findGpus(options);
  const findings: Findings = {
    version,
    system: `${process.platform}-${process.arch}`,
    node: process.version,
    nodeWanted: engines.node,
    ...{ processor, limits, native: attempts, kernels },
    software: findSoftware(options),
    ...{ gpus, gpuDriver: driver },
    launcher: readLauncher(environment),
    rates:
      measure && native !== undefined && kernels?.chosen !== undefined
        ? rates(native, kernels.chosen, processor, limits)
        : undefined,
  };
  const problems = findProblems(findings);
  const ok = !problems.some(({ severity }) => severity === "error");
  return { ok, ...findings, uses: usesOf(limits), problems };
}

function rates(native: Binding, instructionSet: string, { caches }: Processor, limits: Limits) {
  const level = Math.max(0, ...caches.map((cache) => cache.level));
  const last = caches.filter((cache) => cache.level === level);
  return measureRates(native, {
    instructionSet,
    threads: limits.counted,
    lastCache: last.reduce((sum, { bytes, count }) => sum + bytes * count, 0),
    available: Math.min(limits.memoryAvailable ?? limits.memory, limits.memoryLimit ?? Infinity),
  });
}

function usesOf({ counted }: Limits): Uses {
  const ranks = [1, 2, 4, 8].filter((count) => count === 1 || count <= counted);
  return {
    device: "cpu",
    transport: "local",
    threads: ranks.map((count) => ({
      ranks: count,
      threads: Math.max(1, Math.floor(counted / count)),
    })),
  };
}
