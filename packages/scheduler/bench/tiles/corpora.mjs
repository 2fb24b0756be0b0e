// Document lengths for the benchmark: the published lists where they are, and a stand-in everywhere.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readLengths } from "@libra/sampler";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const folder = new URL("../../../../../shared/data/", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, folder));

/** Uniform numbers in (0, 1) of a counter-based mixer: the same in every run. */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

/** Lognormal lengths, μ = ln 644, σ = 2.02, from 1 to 2^20. */
function standIn(count) {
  const random = uniform(7);
  return Uint32Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.max(1, Math.min(2 ** 20, Math.round(644 * Math.exp(2.02 * normal))));
  });
}

const times = (lengths, factor) => lengths.map((length) => length * factor);

/** Corpora by name; the second value says what is missing. */
export async function corpora() {
  const found = { standIn: standIn(600_000) };
  const missing = [];
  const read = async (name, load) => {
    if (existsSync(path(name))) await load(path(name));
    else missing.push(name);
  };
  await read("distca_wlbllm.u32.npy", async (file) => {
    const lengths = await readLengths(file);
    found.wlbllm = lengths;
    found.wlbllmX2 = times(lengths, 2);
    found.wlbllmX8 = times(lengths, 8);
  });
  await read("distca_prolong.u32.npy", async (file) => {
    found.prolong = await readLengths(file);
  });
  await read("linux61_files.parquet", async (file) => {
    found.linux = await parquet(file, (row) => !row.path.includes("asic_reg"));
  });
  await read("debian_npm_docs.parquet", async (file) => {
    found.gosrc = await parquet(file, (row) => row.corpus === "gosrc");
  });
  return { found, missing };
}

async function parquet(name, keep) {
  const file = await asyncBufferFromFile(name);
  const rows = await parquetReadObjects({ file, compressors });
  return Uint32Array.from(rows.filter(keep), ({ length }) => Number(length));
}
