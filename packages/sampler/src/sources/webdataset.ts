import { LibraError } from "@libra/base";
import { ByteFile, type Meter, withFile } from "./byte-file.js";
import { type ByteSequence, FileSequence, StreamSequence } from "./byte-sequence.js";
import { checkedLengths, wrongLength } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { isGzip } from "./content-stream.js";
import { damaged, refusedPickle } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { checkVector } from "./npy.js";
import { npyCount, readNpyHeader } from "./npy-header.js";
import { type TarMember, tarMembers } from "./tar-members.js";

/** Which member of each sample gives its length, and which field of it where it is JSON. */
interface Choice {
  extension: string;
  field?: string;
}

const batchSamples = 4096;
const largestJson = 1 << 26;
const pickles = /(^|\.)(pyd|pkl|pickle|pth|pt)$/;

/**
 * Lengths of a WebDataset tar: from the shape in each `.npy` member's header, or from a field of each
 * `.json` member. Contents are skipped, so a plain tar costs its headers; a gzip tar is read whole.
 */
export async function openWebDataset(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const choice = await withSequence(path, meter, (source) => chooseMember(source, options.column));
  const notes = choice === undefined ? [] : [`lengths from member ${shown(choice)}`];
  return lengthSource({
    format: "webdataset",
    path,
    total: undefined,
    notes,
    meter,
    chunks: () => sampleLengths(path, meter, choice),
  });
}

async function* sampleLengths(
  path: string,
  meter: Meter,
  choice: Choice | undefined,
): AsyncGenerator<Uint32Array> {
  if (choice === undefined) return;
  const { source, close } = await openSequence(path, meter);
  try {
    let values: number[] = [];
    let documents = 0;
    let sample: { key: string; found: boolean } | undefined;
    for await (const member of tarMembers(source)) {
      const { key, extension } = split(member.name);
      if (sample !== undefined && key !== sample.key) requireFound(path, sample, choice);
      if (sample?.key !== key) sample = { key, found: false };
      if (extension !== choice.extension) continue;
      sample.found = true;
      values.push(await lengthOf(member, choice, path, documents + values.length));
      if (values.length < batchSamples) continue;
      yield checkedLengths(values, documents, path);
      documents += values.length;
      values = [];
    }
    if (sample !== undefined) requireFound(path, sample, choice);
    if (values.length > 0) yield checkedLengths(values, documents, path);
  } finally {
    await close();
  }
}

function requireFound(path: string, sample: { key: string; found: boolean }, choice: Choice): void {
  if (sample.found) return;
  throw new LibraError(
    "FORMAT",
    `${path}: sample ${sample.key} has no member ${choice.extension}, which earlier samples have`,
    { details: { path, sample: sample.key } },
  );
}

async function lengthOf(
  member: TarMember,
  choice: Choice,
  path: string,
  index: number,
): Promise<number> {
  if (choice.field === undefined) {
    const header = await readNpyHeader((_, length) => member.read(length), {
      path,
      offset: member.offset,
    });
    checkVector(header, path, member.offset);
    return npyCount(header);
  }
  const value = (await readJson(member, path))[choice.field];
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "number") throw wrongLength(path, index, JSON.stringify(value) ?? "missing");
  return value;
}

async function readJson(member: TarMember, path: string): Promise<Record<string, unknown>> {
  if (member.size > largestJson) {
    throw damaged(path, member.offset, "a JSON member of at most 64 MiB", `${member.size} bytes`);
  }
  const text = Buffer.from(await member.read(member.size)).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw damaged(path, member.offset, `JSON in ${member.name}`, (error as Error).message, error);
  }
  throw damaged(path, member.offset, `a JSON object in ${member.name}`, text.slice(0, 40));
}

/** Chooses on the first sample; `undefined` for an empty archive. */
async function chooseMember(
  source: ByteSequence,
  wanted: string | undefined,
): Promise<Choice | undefined> {
  const offers: Array<{ name: string; kind: "number" | "list" | "other"; choice: Choice }> = [];
  let first: string | undefined;
  for await (const member of tarMembers(source)) {
    const { key, extension } = split(member.name);
    first ??= key;
    if (key !== first) break;
    if (extension.endsWith("npy")) {
      const name = extension.replace(/\.?npy$/, "") || extension;
      offers.push({ name, kind: "list", choice: { extension } });
      if (wanted === extension) return { extension };
    } else if (extension.endsWith("json")) {
      for (const [field, value] of Object.entries(await readJson(member, source.path))) {
        const kind = typeof value === "number" ? "number" : Array.isArray(value) ? "list" : "other";
        offers.push({ name: field, kind, choice: { extension, field } });
      }
    } else offers.push({ name: extension, kind: "other", choice: { extension } });
  }
  if (first === undefined) return undefined;
  const pickle = offers.find(
    ({ name, choice }) => pickles.test(choice.extension) && (wanted ?? name) === name,
  );
  const usable = offers.some((offer) => offer.kind !== "other");
  if (pickle !== undefined && (wanted !== undefined || !usable)) {
    throw refusedPickle(source.path, `member ${first}.${pickle.choice.extension}`);
  }
  return chooseColumn(source.path, offers, wanted).choice;
}

// A sample's key ends at the first dot of the file name; the rest is the extension.
function split(name: string): { key: string; extension: string } {
  const slash = name.lastIndexOf("/");
  const dot = name.indexOf(".", slash + 2);
  return dot < 0
    ? { key: name, extension: "" }
    : { key: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() };
}

function shown(choice: Choice): string {
  return choice.field === undefined
    ? choice.extension
    : `${choice.extension}, field ${choice.field}`;
}

async function openSequence(
  path: string,
  meter: Meter,
): Promise<{ source: ByteSequence; close: () => Promise<void> }> {
  const zipped = await withFile(path, meter, async (file) =>
    isGzip(await file.read(0, Math.min(2, file.size))),
  );
  if (!zipped) {
    const file = await ByteFile.open(path, meter);
    return { source: new FileSequence(file), close: () => file.close() };
  }
  const source = new StreamSequence(path, meter);
  return { source, close: () => source.close() };
}

async function withSequence<Result>(
  path: string,
  meter: Meter,
  use: (source: ByteSequence) => Promise<Result>,
): Promise<Result> {
  const { source, close } = await openSequence(path, meter);
  try {
    return await use(source);
  } finally {
    await close();
  }
}
