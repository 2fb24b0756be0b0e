import { cpus } from "node:os";
import { numbersOf, type SystemFiles } from "./system-files.js";

/** What the processor is and has. Sizes in bytes; `undefined` where the system does not tell. */
export interface Processor {
  readonly model: string;
  /** Of the instruction sets that matter to kernels, those that the processor has. */
  readonly features: readonly string[];
  readonly sockets: number | undefined;
  readonly cores: number | undefined;
  /** Hardware threads. */
  readonly threads: number;
  readonly caches: readonly Cache[];
}

/** One cache as the first core sees it. */
export interface Cache {
  readonly level: number;
  readonly kind: "data" | "instruction" | "unified";
  readonly bytes: number;
  /** Hardware threads that share it. */
  readonly sharedBy: number;
  /** How many of them the machine has. */
  readonly count: number;
}

const known = [
  ...["sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw", "avx512dq"],
  ...["avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16"],
  ...["asimd", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2", "svebf16", "sme"],
];

const folder = "/sys/devices/system/cpu";

/** Reads the processor's description from /proc/cpuinfo and /sys. */
export function readProcessor(files: SystemFiles): Processor {
  const info = files.read("/proc/cpuinfo") ?? "";
  const field = (name: string) => new RegExp(`^${name}\\s*:\\s*(.*)$`, "mi").exec(info)?.[1];
  const has = new Set((field("flags") ?? field("features") ?? "").split(" "));
  const numbers = files.list(folder).filter((name) => /^cpu\d+$/.test(name));
  const distinct = (file: string) => {
    const values = numbers.map((name) => files.read(`${folder}/${name}/${file}`));
    const found = new Set(values.filter((value) => value !== undefined));
    return found.size === 0 ? undefined : found.size;
  };
  const threads = numbers.length || cpus().length;
  return {
    model: field("model name") ?? armModel(field) ?? cpus()[0]?.model.trim() ?? "unknown",
    features: known.filter((name) => has.has(name)),
    sockets: distinct("topology/package_cpus_list") ?? distinct("topology/physical_package_id"),
    cores: distinct("topology/core_cpus_list") ?? distinct("topology/thread_siblings_list"),
    threads,
    caches: readCaches(files, distinct),
  };
}

// Linux on arm64 has no name, only numbers.
function armModel(field: (name: string) => string | undefined): string | undefined {
  const [implementer, part] = [field("CPU implementer"), field("CPU part")];
  if (implementer === undefined || part === undefined) return undefined;
  return `arm64, implementer ${implementer}, part ${part}`;
}

function readCaches(
  files: SystemFiles,
  distinct: (file: string) => number | undefined,
): readonly Cache[] {
  const units: Record<string, number> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };
  return files.list(`${folder}/cpu0/cache`).flatMap((index) => {
    const read = (name: string) => files.read(`${folder}/cpu0/cache/${index}/${name}`);
    const size = /^(\d+)([KMG]?)$/.exec(read("size") ?? "");
    const level = Number(read("level"));
    const kind = read("type")?.toLowerCase();
    if (size === null || !(level > 0)) return [];
    if (kind !== "data" && kind !== "instruction" && kind !== "unified") return [];
    const shared = `cache/${index}/shared_cpu_list`;
    const list = files.read(`${folder}/cpu0/${shared}`);
    const bytes = Number(size[1]) * units[size[2]!]!;
    const sharedBy = list === undefined ? 1 : numbersOf(list).length;
    return [{ level, kind, bytes, sharedBy, count: distinct(shared) ?? 1 } as const];
  });
}
