import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import type { Corpus, SourceDocument } from "./corpus.js";
import { findPackage, type InstalledPackage } from "./find-package.js";
import { listFiles } from "./list-files.js";

const source = /\.[cm]?[jt]sx?$/;
const generated = /\.map$|\.min\./;

/**
 * Source files of npm packages that are already installed: JavaScript and TypeScript, one file per
 * base name (packages ship the same module in several folders), `.map` and `.min.` files left out.
 *
 * @throws LibraError `CONFIGURATION` when a package is not installed
 */
export function npmCorpus(packages: readonly string[]): Corpus {
  const documents: SourceDocument[] = [];
  const notes: string[] = [];
  const names = new Set<string>();
  const leftOut = { repeated: 0, generated: 0 };
  for (const found of packages.map(findPackage)) {
    const before = documents.length;
    for (const file of listFiles(found.folder)) {
      const name = basename(file);
      if (generated.test(name)) leftOut.generated += 1;
      else if (!source.test(name)) continue;
      else if (names.has(name)) leftOut.repeated += 1;
      else {
        names.add(name);
        documents.push(read(found, file));
      }
    }
    const { name, version, licence } = found;
    notes.push(`${name} ${version} (${licence}): ${documents.length - before} files`);
  }
  notes.push(
    `left out: ${leftOut.repeated} files whose base name was there before, ${leftOut.generated} .map and .min. files`,
  );
  return { documents, notes };
}

function read(found: InstalledPackage, file: string): SourceDocument {
  const name = `${found.name}/${relative(found.folder, file).replaceAll("\\", "/")}`;
  return { name, text: readFileSync(file, "utf8") };
}
