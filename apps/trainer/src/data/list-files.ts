import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * All files below a folder, depth first, by name in code-unit order (never by the machine's locale).
 * Folders called node_modules and symbolic links are left out.
 */
export function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}
