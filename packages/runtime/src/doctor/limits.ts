import { availableParallelism, totalmem } from "node:os";
import { numbersOf, type SystemFiles } from "./system-files.js";

/** How much of the machine this process may use. Bytes; `undefined`: not limited, or not told. */
export interface Limits {
  /** Hardware threads of the process's affinity. */
  readonly affinity: number | undefined;
  /** CPUs' time that control groups allow: 1.5 is one and a half. */
  readonly quota: number | undefined;
  /** Cores that Libra counts with when it divides threads among ranks. */
  readonly counted: number;
  readonly memory: number;
  readonly memoryAvailable: number | undefined;
  readonly memoryLimit: number | undefined;
}

/** Reads affinity, control groups (both versions) and memory. */
export function readLimits(files: SystemFiles): Limits {
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(files.read("/proc/self/status") ?? "")?.[1];
  const memory = files.read("/proc/meminfo") ?? "";
  const bytes = (name: string) => {
    const found = new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(memory)?.[1];
    return found === undefined ? undefined : Number(found) * 1024;
  };
  const total = bytes("MemTotal") ?? totalmem();
  const limit = least(groupFolders(files, "memory").map((folder) => memoryLimit(files, folder)));
  return {
    affinity: allowed === undefined ? undefined : numbersOf(allowed).length,
    quota: least(groupFolders(files, "cpu").map((folder) => cpuQuota(files, folder))),
    counted: availableParallelism(),
    memory: total,
    memoryAvailable: bytes("MemAvailable"),
    // Version 1 writes a number near 2^63 for "no limit".
    memoryLimit: limit !== undefined && limit < total ? limit : undefined,
  };
}

/** The process's group and all above it, of version 2 and of a controller of version 1. */
function groupFolders(files: SystemFiles, controller: string): string[] {
  return (files.read("/proc/self/cgroup") ?? "").split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const names = controllers!.split(",");
    if (controllers !== "" && !names.includes(controller)) return [];
    const mount = controllers === "" ? "/sys/fs/cgroup" : `/sys/fs/cgroup/${controllers}`;
    const parts = path.split("/").filter((part) => part !== "");
    return Array.from({ length: parts.length + 1 }, (_, n) =>
      [mount, ...parts.slice(0, n)].join("/"),
    );
  });
}

function cpuQuota(files: SystemFiles, folder: string): number | undefined {
  const [quota, period] = (files.read(`${folder}/cpu.max`) ?? "").split(" ").map(Number);
  if (quota! > 0 && period! > 0) return quota! / period!;
  const [old, oldPeriod] = ["quota", "period"].map((name) =>
    files.number(`${folder}/cpu.cfs_${name}_us`),
  );
  return old! > 0 && oldPeriod! > 0 ? old! / oldPeriod! : undefined;
}

function memoryLimit(files: SystemFiles, folder: string): number | undefined {
  return files.number(`${folder}/memory.max`) ?? files.number(`${folder}/memory.limit_in_bytes`);
}

function least(values: ReadonlyArray<number | undefined>): number | undefined {
  const told = values.filter((value) => value !== undefined);
  return told.length === 0 ? undefined : Math.min(...told);
}
