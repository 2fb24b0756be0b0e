import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll } from "vitest";

const archive = fileURLToPath(new URL("../fixtures/formats.tar.gz", import.meta.url));

/** The samples, unpacked for one test file. */
export interface Formats {
  path(name: string): string;
  lengths: number[];
}

/** Unpacks the samples before the file's tests and removes them after. */
export function useFormats(): Formats {
  let folder = "";
  const formats: Formats = { path: (name) => join(folder, name), lengths: [] };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "libra-formats-"));
    await unpack(gunzipSync(await readFile(archive)), folder);
    const expected = JSON.parse(await readFile(formats.path("expected.json"), "utf8"));
    formats.lengths.push(...expected.lengths);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return formats;
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
