import { type ByteFile, type Meter, streamFile, withFile } from "./byte-file.js";
import { chunkDocuments } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { refusedPickle } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { checkVector, lengthsOfArray, meansOffsets } from "./npy.js";
import { type NpyHeader, npyCount, readNpyHeader } from "./npy-header.js";
import { readZipDirectory, readZipMember, type ZipMember } from "./zip-directory.js";

/** Lengths of one array of a NumPy `.npz`, stored or deflated; only that array is read. */
export async function openNpz(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const { member, header } = await withFile(path, meter, async (file) => {
    const chosen = await chooseMember(file, options);
    return { member: chosen, header: (await readArray(file, chosen)).header };
  });
  const asOffsets = meansOffsets(member.name, options);
  const count = npyCount(header);
  return lengthSource({
    format: "npz",
    path,
    total: asOffsets ? Math.max(0, count - 1) : count,
    notes: [`array ${arrayName(member)}`],
    meter,
    chunks: () =>
      streamFile(path, meter, async function* (file) {
        const array = await readArray(file, member);
        const where = { path, start: member.headerOffset, asOffsets };
        yield* lengthsOfArray(pieces(array.content, array.header), array.header, where);
      }),
  });
}

/** Whether a zip archive is an `.npz`, for detection. */
export function isNpzDirectory(members: readonly ZipMember[]): boolean {
  return members.length > 0 && members.every((member) => member.name.endsWith(".npy"));
}

async function chooseMember(file: ByteFile, options: SourceOptions): Promise<ZipMember> {
  const members = await readZipDirectory(file);
  const pickle = members.find((member) => /(^|\/)data\.pkl$/.test(member.name));
  if (pickle !== undefined) throw refusedPickle(file.path, "a file of torch.save");
  const arrays = members.filter((member) => member.name.endsWith(".npy"));
  if (arrays.length === 1 && options.column === undefined) return arrays[0]!;
  const offers = arrays.map((member) => ({
    name: arrayName(member),
    kind: "number" as const,
    member,
  }));
  return chooseColumn(file.path, offers, options.column).member;
}

async function readArray(
  file: ByteFile,
  member: ZipMember,
): Promise<{ content: Uint8Array; header: NpyHeader }> {
  const content = await readZipMember(file, member);
  const where = { path: file.path, offset: member.headerOffset };
  const header = await readNpyHeader((offset, length) => {
    if (offset + length <= content.length) return content.subarray(offset, offset + length);
    throw file.damaged(member.headerOffset, `a whole ${member.name}`, "a cut NumPy header");
  }, where);
  checkVector(header, file.path, member.headerOffset);
  const wanted = header.dataOffset + npyCount(header) * header.type.size;
  if (content.length !== wanted) {
    throw file.damaged(
      member.headerOffset,
      `${wanted} bytes in ${member.name}`,
      `${content.length}`,
    );
  }
  return { content, header };
}

function* pieces(content: Uint8Array, header: NpyHeader): Generator<Uint8Array> {
  const step = chunkDocuments * header.type.size;
  for (let at = header.dataOffset; at < content.length; at += step) {
    yield content.subarray(at, at + step);
  }
}

function arrayName(member: ZipMember): string {
  return member.name.replace(/\.npy$/, "");
}
