// XXH64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) with each 64-bit word as
// two 32-bit limbs: BigInt would be about fifty times slower. Words are little-endian, as is every
// platform that Node runs on with typed arrays of this kind.
import { LibraError } from "./error.js";

type Word = readonly [low: number, high: number];

const prime1: Word = [0x85ebca87 | 0, 0x9e3779b1 | 0];
const prime2: Word = [0x27d4eb4f | 0, 0xc2b2ae3d | 0];
const prime3: Word = [0x9e3779f9 | 0, 0x165667b1 | 0];
const prime4: Word = [0xc2b2ae63 | 0, 0x85ebca77 | 0];
const prime5: Word = [0x165667c5 | 0, 0x27d4eb2f | 0];

const stripe = 32;

/**
 * XXH64 of columns, little-endian, one after another, each preceded by its byte length as a
 * little-endian u64 (so that moving a value from one column to the next changes the hash).
 *
 * @param columns - typed arrays or DataViews; an empty list hashes like zero bytes
 * @param seed - integer from 0 to 2^53 − 1; default 0
 * @returns 16 lower-case hexadecimal digits
 */
export function xxh64(columns: readonly ArrayBufferView[], seed = 0): string {
  let size = 0;
  for (const column of columns) size += 8 + column.byteLength;
  const bytes = new Uint8Array(size);
  const lengths = new DataView(bytes.buffer);
  let offset = 0;
  for (const column of columns) {
    lengths.setUint32(offset, column.byteLength, true);
    lengths.setUint32(offset + 4, Math.floor(column.byteLength / 2 ** 32), true);
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), offset + 8);
    offset += 8 + column.byteLength;
  }
  return xxh64Bytes(bytes, seed);
}

/**
 * XXH64 of plain bytes, equal to the reference implementation's.
 *
 * @param seed - integer from 0 to 2^53 − 1; default 0
 * @returns 16 lower-case hexadecimal digits
 */
export function xxh64Bytes(input: Uint8Array, seed = 0): string {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new LibraError(
      "ARGUMENT",
      `Expected a non-negative integer for seed but received ${seed}`,
    );
  }
  const bytes = input.byteOffset % 4 === 0 ? input : input.slice();
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const seedWord: Word = [seed | 0, Math.floor(seed / 2 ** 32) | 0];
  const stripes = Math.floor(bytes.byteLength / stripe);
  let hash = stripes > 0 ? mergeLanes(words, stripes, seedWord) : add(seedWord, prime5);
  hash = add(hash, [bytes.byteLength | 0, Math.floor(bytes.byteLength / 2 ** 32)]);
  return hexadecimal(avalanche(tail(hash, bytes, words, stripes * stripe)));
}

function mergeLanes(words: Int32Array, stripes: number, seed: Word): Word {
  const lanes = [
    lane(words, 0, stripes, add(add(seed, prime1), prime2)),
    lane(words, 2, stripes, add(seed, prime2)),
    lane(words, 4, stripes, seed),
    lane(words, 6, stripes, subtract(seed, prime1)),
  ] as const;
  let hash = add(
    add(rotate(lanes[0], 1), rotate(lanes[1], 7)),
    add(rotate(lanes[2], 12), rotate(lanes[3], 18)),
  );
  for (const value of lanes) {
    hash = xor(hash, round([0, 0], value));
    hash = add(multiply(hash, prime1), prime4);
  }
  return hash;
}

// The four lanes do not meet before the end, so each is one pass over the input whose state is two
// local variables: no allocation, and the engine keeps them in registers.
function lane(words: Int32Array, first: number, stripes: number, start: Word): Word {
  const [prime1Low, prime1High] = prime1;
  const [prime2Low, prime2High] = prime2;
  let [low, high] = start;
  const end = first + stripes * 8;
  for (let i = first; i < end; i += 8) {
    const wordLow = words[i]!;
    const wordHigh = words[i + 1]!;
    const addLow = Math.imul(wordLow, prime2Low);
    const addHigh =
      multiplyHigh(wordLow, prime2Low) +
      Math.imul(wordLow, prime2High) +
      Math.imul(wordHigh, prime2Low);
    const sumLow = (low + addLow) | 0;
    const sumHigh = (high + addHigh + (sumLow >>> 0 < addLow >>> 0 ? 1 : 0)) | 0;
    const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
    const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
    low = Math.imul(turnedLow, prime1Low);
    high =
      (multiplyHigh(turnedLow, prime1Low) +
        Math.imul(turnedLow, prime1High) +
        Math.imul(turnedHigh, prime1Low)) |
      0;
  }
  return [low, high];
}

function tail(start: Word, bytes: Uint8Array, words: Int32Array, from: number): Word {
  let hash = start;
  let at = from;
  for (; at + 8 <= bytes.byteLength; at += 8) {
    const word: Word = [words[at / 4]!, words[at / 4 + 1]!];
    hash = xor(hash, round([0, 0], word));
    hash = add(multiply(rotate(hash, 27), prime1), prime4);
  }
  if (at + 4 <= bytes.byteLength) {
    hash = xor(hash, multiply([words[at / 4]!, 0], prime1));
    hash = add(multiply(rotate(hash, 23), prime2), prime3);
    at += 4;
  }
  for (; at < bytes.byteLength; at++) {
    hash = xor(hash, multiply([bytes[at]!, 0], prime5));
    hash = multiply(rotate(hash, 11), prime1);
  }
  return hash;
}

function avalanche(start: Word): Word {
  let hash = multiply(xor(start, shiftRight(start, 33)), prime2);
  hash = multiply(xor(hash, shiftRight(hash, 29)), prime3);
  return xor(hash, shiftRight(hash, 32));
}

function round(accumulator: Word, word: Word): Word {
  return multiply(rotate(add(accumulator, multiply(word, prime2)), 31), prime1);
}

/** The upper 32 bits of the unsigned product of two 32-bit limbs. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle1 = Math.imul(aHigh, bLow);
  const middle2 = Math.imul(aLow, bHigh);
  const carry = ((Math.imul(aLow, bLow) >>> 16) + (middle1 & 0xffff) + (middle2 & 0xffff)) >>> 16;
  return (Math.imul(aHigh, bHigh) + (middle1 >>> 16) + (middle2 >>> 16) + carry) | 0;
}

function multiply([aLow, aHigh]: Word, [bLow, bHigh]: Word): Word {
  return [
    Math.imul(aLow, bLow),
    (multiplyHigh(aLow, bLow) + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) | 0,
  ];
}

function add([aLow, aHigh]: Word, [bLow, bHigh]: Word): Word {
  const low = (aLow + bLow) | 0;
  return [low, (aHigh + bHigh + (low >>> 0 < bLow >>> 0 ? 1 : 0)) | 0];
}

function subtract([aLow, aHigh]: Word, [bLow, bHigh]: Word): Word {
  return [(aLow - bLow) | 0, (aHigh - bHigh - (aLow >>> 0 < bLow >>> 0 ? 1 : 0)) | 0];
}

function xor([aLow, aHigh]: Word, [bLow, bHigh]: Word): Word {
  return [aLow ^ bLow, aHigh ^ bHigh];
}

/** Rotates left by 1 to 31 bits. */
function rotate([low, high]: Word, bits: number): Word {
  return [(low << bits) | (high >>> (32 - bits)), (high << bits) | (low >>> (32 - bits))];
}

/** Shifts right by 1 to 63 bits. */
function shiftRight([low, high]: Word, bits: number): Word {
  if (bits >= 32) return [high >>> (bits - 32), 0];
  return [(low >>> bits) | (high << (32 - bits)), high >>> bits];
}

function hexadecimal([low, high]: Word): string {
  return [high, low].map((limb) => (limb >>> 0).toString(16).padStart(8, "0")).join("");
}
