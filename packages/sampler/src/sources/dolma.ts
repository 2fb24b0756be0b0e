import { stat } from "node:fs/promises";
import { expected } from "@libra/base";
import { exists, type Meter } from "./byte-file.js";
import { checkedLengths } from "./checked-lengths.js";
import { damaged } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { shownText, textLines } from "./text-lines.js";

/**
 * Lengths of one part of a dolma corpus: `PART.npy` (raw tokens, no NumPy header despite its name)
 * and `PART.csv.gz`, whose lines start with the first token and the token after the last of each
 * document. Only the latter is read; the size of the former must agree.
 */
export async function openDolma(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const table = await tableOf(path);
  const tokens = `${table.slice(0, -".csv.gz".length)}.npy`;
  const tokenBytes = options.tokenBytes ?? 2;
  const notes = [`${tokenBytes} bytes a token`];
  if (!(await exists(tokens))) notes.push(`${tokens} is not there, so its size was not compared`);
  return lengthSource({
    format: "dolma",
    path,
    total: undefined,
    notes,
    meter,
    chunks: () => borders(table, tokens, tokenBytes, meter),
  });
}

/** The table of a dolma part, given either of its files. */
export async function dolmaTable(path: string): Promise<string | undefined> {
  if (path.endsWith(".csv.gz")) return path;
  if (!path.endsWith(".npy")) return undefined;
  const table = `${path.slice(0, -4)}.csv.gz`;
  return (await exists(table)) ? table : undefined;
}

async function tableOf(path: string): Promise<string> {
  const table = await dolmaTable(path);
  if (table !== undefined) return table;
  throw expected("PART.csv.gz, or PART.npy beside it, for the format dolma", "path", path);
}

async function* borders(
  table: string,
  tokens: string,
  tokenBytes: number,
  meter: Meter,
): AsyncGenerator<Uint32Array> {
  let documents = 0;
  let end = 0;
  for await (const { lines, offsets, firstNumber } of textLines(table, meter)) {
    const values: number[] = [];
    for (let i = 0; i < lines.length; i++) {
      const text = lines[i]!;
      if (text === "") continue;
      const line = `line ${firstNumber + i}`;
      const match = /^(\d{1,15}),(\d{1,15})(,|$)/.exec(text);
      if (match === null) {
        throw damaged(table, offsets[i]!, `${line} to start with two offsets`, shownText(text));
      }
      const start = Number(match[1]);
      if (start !== end) {
        throw damaged(table, offsets[i]!, `${line} to start at token ${end}`, String(start));
      }
      end = Number(match[2]);
      values.push(end - start);
    }
    yield checkedLengths(values, documents, table);
    documents += values.length;
  }
  await compareSize(table, tokens, end, tokenBytes);
}

async function compareSize(
  table: string,
  tokens: string,
  end: number,
  tokenBytes: number,
): Promise<void> {
  if (!(await exists(tokens))) return;
  const { size } = await stat(tokens);
  if (size === end * tokenBytes) return;
  throw damaged(
    tokens,
    size,
    `${end} tokens of ${tokenBytes} bytes, ${end * tokenBytes} bytes in all, as ${table} says (set tokenBytes where a token has another size)`,
    `a file of ${size} bytes`,
  );
}
