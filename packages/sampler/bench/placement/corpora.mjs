// Document lengths that placement is measured on: two generated sets, and real ones out of the data
// folder beside the repository where it exists. Those are read there and never copied.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

const folder = fileURLToPath(new URL("../../../../../shared/data/", import.meta.url));
const generated = 400_000;

/** Log-normal lengths, 1 … 2^20. */
export function lognormal(count, median, sigma, seed) {
  const generator = xoroshiro128plus(seed);
  const uniform = () => ((generator.next() >>> 0) + 0.5) / 4294967296;
  return Uint32Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.max(1, Math.min(2 ** 20, Math.round(median * Math.exp(sigma * normal))));
  });
}

/** The plain log-normal set of algorithms.md, and the stand-in for the paper's corpus. */
const makers = {
  lognormal: () => lognormal(generated, 4096, 1.5, 1),
  standIn: () => lognormal(generated, 644, 2.02, 2),
  "wlbllm x1": () => numpy("distca_wlbllm"),
  "wlbllm x2": () => numpy("distca_wlbllm").map((length) => length * 2),
  "wlbllm x8": () => numpy("distca_wlbllm").map((length) => length * 8),
  prolong: () => numpy("distca_prolong"),
  linux: () => parquet("linux61_files", ({ path }) => !path.includes("asic_reg")),
  gosrc: () => parquet("debian_npm_docs", ({ corpus }) => corpus === "gosrc"),
};

/** Names of all sets; those after the second need the data folder. */
export const corpusNames = Object.keys(makers);
export const isGenerated = (name) => name === "lognormal" || name === "standIn";
export const hasDataFolder = () => existsSync(folder);
/** The published lists may not be copied, not even as sums of few of them. */
export const mayBeCommitted = (name) => !name.startsWith("wlbllm") && name !== "prolong";

export async function loadCorpus(name) {
  return await makers[name]();
}

function numpy(name) {
  const bytes = readFileSync(`${folder}${name}.u32.npy`);
  const begin = 10 + bytes.readUInt16LE(8);
  return new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length),
  );
}

async function parquet(name, keep) {
  const file = await asyncBufferFromFile(`${folder}${name}.parquet`);
  const rows = await parquetReadObjects({ file, compressors });
  return Uint32Array.from(rows.filter(keep), ({ length }) => Number(length));
}
