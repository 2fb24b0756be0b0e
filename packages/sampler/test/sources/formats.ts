import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll } from "vitest";

/** The samples, unpacked for one test file. */
export interface Formats {
  path(name: string): string;
  lengths: number[];
}

/** Unpacks the samples before the file's tests and removes them after. */
export function useFormats(): Formats {
  const path = useArchive("formats.tar.gz");
  const formats: Formats = { path, lengths: [] };
  beforeAll(async () => {
    const expected = JSON.parse(await readFile(path("expected.json"), "utf8"));
    formats.lengths.push(...expected.lengths);
  });
  return formats;
}

/** Unpacks an archive of test/fixtures before the file's tests and removes it after. */
export function useArchive(name: string): (path: string) => string {
  const archive = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "libra-formats-"));
    await unpack(gunzipSync(await readFile(archive)), folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (path) => join(folder, path);
}

// Not the package's own tar reader, which these files test.
async function unpack(tar: Buffer, folder: string): Promise<void> {
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString("utf8", at, at + 100).replace(/\0.*$/s, "");
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    const isFile = tar[at + 156] === 0x30;
    if (isFile) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), tar.subarray(at + 512, at + 512 + size));
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
