import type { Examination } from "./examine.js";
import { type FoundLibrary, notSet } from "./find-library.js";
import type { Cache } from "./processor.js";
import type { Rate, Rates } from "./rates.js";

type Row = readonly [name: string, value: string];

/** The examination for people, a line each. */
export function describe(
  examination: Examination,
  packages: Readonly<Record<string, string>>,
): string[] {
  const { problems, ok } = examination;
  const sections: Array<[string, Row[]]> = [
    ["machine", machineRows(examination)],
    ["measured now", rateRows(examination.rates)],
    ["native part", nativeRows(examination, packages)],
    ["clusters and GPUs", softwareRows(examination)],
    ["Libra will use", useRows(examination)],
  ];
  const lines = sections.flatMap(([title, rows]) =>
    rows.length === 0
      ? []
      : [title, ...rows.map(([name, value]) => `  ${name.padEnd(17)} ${value}`)],
  );
  const found = problems.flatMap(({ severity, text, remedy }) => [
    `${severity}: ${text}`,
    ...(remedy === undefined ? [] : [`  → ${remedy}`]),
  ]);
  return [...lines, ...found, ok ? "Libra can run here." : "Libra cannot run here."];
}

function machineRows({ system, processor, limits }: Examination): Row[] {
  const { model, sockets, cores, threads, caches, features } = processor;
  const counts = [
    ...(sockets === undefined ? [] : [counted(sockets, "socket")]),
    ...(cores === undefined ? [] : [counted(cores, "core")]),
    counted(threads, "hardware thread"),
  ];
  const { affinity, quota, memory, memoryAvailable, memoryLimit } = limits;
  const free = memoryAvailable === undefined ? "" : `, ${size(memoryAvailable)} available`;
  const capped = memoryLimit === undefined ? "" : `, control group allows ${size(memoryLimit)}`;
  return [
    ["processor", `${model} (${system})`],
    ["cores", counts.join(", ")],
    [
      "this process",
      `affinity: ${affinity ?? "not told"}; control group: ${quota === undefined ? "no limit" : `${quota.toFixed(1)} CPUs`}; counted: ${limits.counted}`,
    ],
    ["instructions", features.length === 0 ? "not told" : features.join(" ")],
    ["caches", caches.length === 0 ? "not told" : caches.map(cacheText).join("; ")],
    ["memory", `${size(memory)}${free}${capped}`],
  ];
}

function cacheText({ level, kind, bytes, sharedBy, count }: Cache): string {
  const letter = { data: "d", instruction: "i", unified: "" }[kind];
  const shared = sharedBy > 1 ? `, shared by ${sharedBy}` : "";
  return `L${level}${letter} ${size(bytes)}${count > 1 ? ` × ${count}` : ""}${shared}`;
}

function rateRows(rates: Rates | undefined): Row[] {
  if (rates === undefined) return [];
  const text = (rate: Rate | undefined, unit: string, none: string) => {
    if (rate === undefined) return none;
    const { one, all } = rate;
    const together = rates.threads === 1 ? "" : `, ${all.toFixed(0)} ${unit} with ${rates.threads}`;
    return `${one.toFixed(0)} ${unit} with 1 thread${together}`;
  };
  return [
    ["float32", text(rates.float32, "GFLOP/s", "")],
    ["bfloat16", text(rates.bfloat16, "GFLOP/s", "no pair products: at most the float32 rate")],
    ["copy", text(rates.copy, "GB/s read and written", "not measured: too little memory")],
  ];
}

function nativeRows(
  { version, node, native, kernels }: Examination,
  packages: Readonly<Record<string, string>>,
): Row[] {
  const rows: Row[] = [["Node", node], ["@libra/runtime", version], ...Object.entries(packages)];
  for (const { name, path, problem } of native) {
    rows.push([name, `${path === undefined ? "" : `${path}: `}${problem ?? "loads"}`]);
  }
  if (kernels !== undefined) {
    rows.push(["instruction sets", kernels.available.join(", ")]);
  }
  return rows;
}

function softwareRows({ software, gpus, gpuDriver, launcher }: Examination): Row[] {
  const { mpirun, ...libraries } = software;
  const all = Object.values(libraries);
  const missing = all.filter(({ path }) => path === undefined);
  const looked = new Set(missing.flatMap((library) => library.looked));
  const places = [...looked].filter((place) => !place.endsWith(notSet));
  const rows: Row[] = all.map((library) => [library.name, libraryText(library)]);
  if (places.length > 0) rows.push(["looked in", places.join(", ")]);
  if (mpirun !== undefined) rows.push(["MPI starter", mpirun]);
  const names = gpus.map(({ name, memory }) =>
    memory === undefined ? name : `${name} (${size(memory)})`,
  );
  const driver = gpuDriver === undefined ? "" : `; driver ${gpuDriver}`;
  rows.push(["GPUs", names.length === 0 ? "none" : `${names.join(", ")}${driver}`]);
  const { variables, rank } = launcher;
  const place =
    rank === undefined ? "" : ` (rank ${rank.rank} of ${rank.worldSize}, ${rank.source})`;
  rows.push([
    "launcher",
    variables.length === 0 ? "no variables set" : `${variables.join(" ")}${place}`,
  ]);
  return rows;
}

function libraryText({ path, by, version }: FoundLibrary): string {
  if (path === undefined) return "not found";
  return `${path}${version === undefined ? "" : `, ${version}`}, by ${by}`;
}

function useRows({ uses, kernels }: Examination): Row[] {
  const rows: Row[] = [];
  if (kernels?.chosen !== undefined) {
    const { chosen, override, bfloat16, bfloat16Override } = kernels;
    const by = override === undefined ? "" : `, by LIBRA_ISA=${override}`;
    rows.push(["device", `${uses.device}, ${chosen} kernels${by}`]);
    const products = bfloat16 === "dot" ? "pairs in one instruction" : "converted to float32";
    const asked = bfloat16Override === "convert" ? ", by LIBRA_BF16=convert" : "";
    rows.push(["bfloat16", `products ${products}${asked}`]);
  }
  rows.push(["transport", `${uses.transport}: all ranks in one process`]);
  const threads = uses.threads.map(
    ({ ranks, threads }) => `${threads} with ${counted(ranks, "rank")}`,
  );
  rows.push(["threads of a rank", threads.join(", ")]);
  return rows;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function size(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}
