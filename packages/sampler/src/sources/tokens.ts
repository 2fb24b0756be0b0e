import { requireInteger } from "@libra/base";
import { type ByteFile, type Meter, streamFile, withFile } from "./byte-file.js";
import { checkedLengths } from "./checked-lengths.js";
import { decodeNumbers, type NumberType, readU32 } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";

// llm.c and its descendants: 256 i32 words of header, of which magic, version and token count are
// used; u16 tokens under the first magic, u32 under the second.
const headerBytes = 1024;
const tokenBytesOfMagic: Record<number, 2 | 4> = { 20240520: 2, 20240801: 4 };
const defaultEndToken = 50256;
const piece = 1 << 20;

interface TokenLayout {
  start: number;
  type: NumberType;
  endToken: number;
  /** Whether the token opens documents (llm.c) rather than ends them (nanoGPT). */
  opens: boolean;
}

export function isTokenFile(head: Uint8Array): boolean {
  return head.length >= 4 && tokenBytesOfMagic[readU32(head, 0)] !== undefined;
}

/**
 * Lengths of the documents in a run of token ids: nanoGPT's `.bin` (no header; the end token is a
 * document's last) and llm.c's (1,024 bytes of header; the token is a document's first). The whole
 * file is scanned: there is no other trace of the borders. Tokens before the first or after the last
 * border are a document too.
 */
export async function openTokens(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const layout = await withFile(path, meter, (file) => readLayout(file, options));
  const { endToken, opens, type } = layout;
  return lengthSource({
    format: "tokens",
    path,
    total: undefined,
    notes: [
      `scanned for token ${endToken}, which ${opens ? "opens" : "ends"} a document; ${type.size} bytes a token`,
    ],
    meter,
    chunks: () => streamFile(path, meter, (file) => scan(file, layout)),
  });
}

async function readLayout(file: ByteFile, options: SourceOptions): Promise<TokenLayout> {
  const head = await file.read(0, Math.min(12, file.size));
  const headerSize = isTokenFile(head) ? tokenBytesOfMagic[readU32(head, 0)] : undefined;
  const size = options.tokenBytes ?? headerSize ?? 2;
  const type: NumberType = { kind: "unsigned", size, littleEndian: true };
  const endToken = requireInteger(options.endToken ?? defaultEndToken, "endToken", 0);
  const start = headerSize === undefined ? 0 : headerBytes;
  if ((file.size - start) % size !== 0 || file.size < start) {
    throw file.damaged(start, `whole tokens of ${size} bytes`, `${file.size - start} bytes`);
  }
  if (headerSize !== undefined) {
    const declared = head.length < 12 ? Number.NaN : readU32(head, 8);
    if (declared !== (file.size - start) / size) {
      throw file.damaged(8, `a count of ${(file.size - start) / size} tokens`, String(declared));
    }
  }
  return { start, type, endToken, opens: headerSize !== undefined };
}

async function* scan(file: ByteFile, layout: TokenLayout): AsyncGenerator<Uint32Array> {
  const { start, type, endToken, opens } = layout;
  let documents = 0;
  let length = 0;
  for await (const bytes of file.pieces(start, file.size, piece)) {
    const tokens = decodeNumbers(bytes, type);
    const lengths: number[] = [];
    for (let i = 0; i < tokens.length; i++) {
      const border = tokens[i] === endToken;
      if (border && opens && length > 0) {
        lengths.push(length);
        length = 0;
      }
      length++;
      if (border && !opens) {
        lengths.push(length);
        length = 0;
      }
    }
    yield checkedLengths(lengths, documents, file.path);
    documents += lengths.length;
  }
  if (length > 0) yield checkedLengths([length], documents, file.path);
}
