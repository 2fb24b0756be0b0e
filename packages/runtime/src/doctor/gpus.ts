import { spawnSync } from "node:child_process";
import type { SearchPlaces } from "./find-library.js";
import { onPath } from "./libraries.js";

/** A GPU as its driver tells. */
export interface Gpu {
  readonly name: string;
  /** Bytes; `undefined` where only the kernel's driver was asked. */
  readonly memory: number | undefined;
}

/** GPUs and their driver's version, by nvidia-smi, else from /proc. */
export function findGpus({ files, environment }: SearchPlaces): {
  readonly gpus: readonly Gpu[];
  readonly driver: string | undefined;
} {
  const program = onPath("nvidia-smi", environment);
  if (program !== undefined) {
    const query = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"];
    const { status, stdout } = spawnSync(program, query, { encoding: "utf8", timeout: 4000 });
    const lines = status === 0 ? stdout.split("\n").filter((line) => line.includes(",")) : [];
    if (lines.length > 0) {
      const rows = lines.map((line) => line.split(",").map((part) => part.trim()));
      return {
        gpus: rows.map(([name, mebibytes]) => ({
          name: name!,
          memory: Number(mebibytes) * 2 ** 20 || undefined,
        })),
        driver: rows[0]![2],
      };
    }
  }
  const folder = "/proc/driver/nvidia/gpus";
  const names = files.list(folder).flatMap((bus) => {
    const model = /^Model:\s*(.*)$/m.exec(files.read(`${folder}/${bus}/information`) ?? "")?.[1];
    return model === undefined ? [] : [model.trim()];
  });
  const version = files.read("/proc/driver/nvidia/version") ?? "";
  return {
    gpus: names.map((name) => ({ name, memory: undefined })),
    driver: /Kernel Module(?: for \S+)?\s+([\d.]+)/.exec(version)?.[1],
  };
}
