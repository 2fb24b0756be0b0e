// Document lengths: the stand-in for the published corpus everywhere, and the published lists of the
// data folder beside the repository where it exists (read there, never copied).
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readLengths } from "@libra/sampler";
import { standInLengths } from "@libra/simulator";

const folder = new URL("../../../../../shared/data/", import.meta.url);

/** Lognormal, median 644, σ 2.02, at most 2^20; the seed is printed with every figure. */
export const seed = 7;
export const standIn = standInLengths({ documents: 400_000, seed });

/** Corpora of the data folder by name, and the files that are missing. */
export async function publishedCorpora() {
  const found = {};
  const missing = [];
  for (const [name, file] of [
    ["wlbllm", "distca_wlbllm.u32.npy"],
    ["prolong", "distca_prolong.u32.npy"],
  ]) {
    const path = fileURLToPath(new URL(file, folder));
    if (existsSync(path)) found[name] = await readLengths(path);
    else missing.push(file);
  }
  return { found, missing };
}
