import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFileAtomic, writeFolderAtomic } from "../../src/files/atomic.js";
import { temporaryFolder } from "../support/folder.js";

function* failing(): Generator<string> {
  yield "half";
  throw new Error("disk full");
}

describe("writing in one piece", () => {
  it("replaces a file and makes its folder", () => {
    const path = join(temporaryFolder(), "a/b.txt");
    writeFileAtomic(path, ["old"]);
    writeFileAtomic(path, ["new", Uint8Array.of(33)]);
    expect(readFileSync(path, "utf8")).toBe("new!");
  });

  it("keeps the old file and nothing else when it fails", () => {
    const folder = temporaryFolder();
    const path = join(folder, "b.txt");
    writeFileAtomic(path, ["old"]);
    expect(() => writeFileAtomic(path, failing())).toThrow("disk full");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["b.txt"]);
  });

  it("replaces a folder, or keeps the old one when filling fails", () => {
    const root = temporaryFolder();
    const path = join(root, "checkpoint");
    mkdirSync(path);
    writeFileSync(join(path, "old"), "1");
    const fail = () =>
      writeFolderAtomic(path, (folder) => {
        writeFileSync(join(folder, "new"), "2");
        throw new Error("rank 1 failed");
      });
    expect(fail).toThrow("rank 1 failed");
    expect(readdirSync(root)).toEqual(["checkpoint"]);
    expect(readdirSync(path)).toEqual(["old"]);
    writeFolderAtomic(path, (folder) => writeFileSync(join(folder, "new"), "2"));
    expect(readdirSync(path)).toEqual(["new"]);
  });
});
