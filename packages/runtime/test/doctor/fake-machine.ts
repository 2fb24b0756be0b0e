import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder that stands for `/`, with these files; removed after the tests of the calling file. */
export function fakeMachine(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): string {
  const root = mkdtempSync(join(tmpdir(), "libra-doctor-"));
  made.push(root);
  const place = (path: string) => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(place(path), text);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
  return root;
}
