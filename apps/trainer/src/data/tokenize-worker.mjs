// Plain JavaScript, so that a worker thread can run it from the sources and from the build alike.
// Tokenising blocks a thread for seconds; on the main thread it would make waiting ranks look absent.
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Tokenizer } from "@huggingface/tokenizers";

const { tokenizerPath, tokenizerConfigPath, maxDocumentTokens } = workerData;
const parse = (path) => JSON.parse(readFileSync(path, "utf8"));
const tokenizer = new Tokenizer(parse(tokenizerPath), parse(tokenizerConfigPath));

const pieceCharacters = 65_536;

/**
 * Cuts where a line ends and the next begins with no white space: Qwen's pre-tokenizer always splits
 * there, so the pieces' ids are the document's, and a document that is too long is given up early.
 */
function* pieces(text) {
  let start = 0;
  while (start < text.length) {
    const border = /\n(?=\S)/g;
    border.lastIndex = start + pieceCharacters;
    const match = border.lastIndex < text.length ? border.exec(text) : null;
    const end = match ? match.index + 1 : text.length;
    yield text.slice(start, end);
    start = end;
  }
}

function tokenise(text) {
  const parts = [];
  let tokens = 0;
  for (const piece of pieces(text)) {
    const { ids } = tokenizer.encode(piece, { add_special_tokens: false });
    parts.push(ids);
    tokens += ids.length;
    if (tokens > maxDocumentTokens) return null;
  }
  const ids = new Int32Array(tokens);
  let offset = 0;
  for (const part of parts) {
    ids.set(part, offset);
    offset += part.length;
  }
  return ids;
}

parentPort.on("message", ({ index, text }) => {
  const ids = tokenise(text);
  parentPort.postMessage({ index, ids }, ids ? [ids.buffer] : []);
});
