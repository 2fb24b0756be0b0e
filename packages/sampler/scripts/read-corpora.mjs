// Reads what write_corpora.py wrote, with the built package: node read-corpora.mjs FOLDER
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openLengths, readLengths } from "@libra/sampler";

const folder = process.argv[2];
const corpora = JSON.parse(readFileSync(join(folder, "corpora.json"), "utf8"));
let failed = 0;
for (const { path, options, lengths } of corpora) {
  let problem;
  try {
    const source = await openLengths(join(folder, path), options);
    const read = await readLengths(source);
    const at = lengths.findIndex((length, i) => read[i] !== length);
    if (read.length !== lengths.length) problem = `${read.length} of ${lengths.length} documents`;
    else if (at >= 0) problem = `document ${at} has ${read[at]} tokens, not ${lengths[at]}`;
  } catch (error) {
    problem = error.message;
  }
  if (problem === undefined) continue;
  failed++;
  console.error(`${path} ${JSON.stringify(options)}: ${problem}`);
}
console.log(`corpora: ${corpora.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
