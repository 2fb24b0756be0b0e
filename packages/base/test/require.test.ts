import { describe, expect, it } from "vitest";
import {
  nearest,
  requireArray,
  requireInteger,
  requireNumber,
  requireOneOf,
} from "../src/index.js";

describe("requireInteger", () => {
  it("returns what is right", () => {
    expect(requireInteger(5, "n")).toBe(5);
    expect(requireInteger(2, "n", 2, 2)).toBe(2);
    expect(requireInteger(Number.MAX_SAFE_INTEGER, "n", 0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    [-3, 1, undefined, "a positive integer"],
    [-1, 0, undefined, "a non-negative integer"],
    [1, 2, undefined, "an integer of at least 2"],
    [9, 0, 8, "an integer from 0 to 8"],
    [9, undefined, 8, "an integer of at most 8"],
    [0.5, undefined, undefined, "an integer"],
    ["4", 1, undefined, "a positive integer"],
    [2 ** 53, 1, undefined, "a positive integer"],
  ])("refuses %s from %s to %s", (value, min, max, range) => {
    expect(() => requireInteger(value, "n", min, max)).toThrow(
      `Expected ${range} for n but received ${JSON.stringify(value)}`,
    );
  });
});

describe("requireNumber", () => {
  it.each([
    [Number.NaN, undefined, undefined, "a finite number"],
    [-1, 0, undefined, "a finite non-negative number"],
    [0, 0.5, undefined, "a finite number of at least 0.5"],
    [2, 0, 1, "a number from 0 to 1"],
    [2, undefined, 1, "a finite number of at most 1"],
    [Number.POSITIVE_INFINITY, 0, undefined, "a finite non-negative number"],
  ])("refuses %s from %s to %s", (value, min, max, range) => {
    expect(() => requireNumber(value, "x", min, max)).toThrow(`Expected ${range} for x`);
  });

  it("returns what is right", () => {
    expect(requireNumber(0.25, "x", 0, 1)).toBe(0.25);
  });
});

describe("requireOneOf", () => {
  const valid = ["step", "microStep", "pipeline"] as const;

  it("returns the word, or lists the valid ones and the nearest", () => {
    expect(requireOneOf("step", "sync", valid)).toBe("step");
    expect(() => requireOneOf("stp", "sync", valid)).toThrow(
      'Expected one of step, microStep, pipeline for sync but received "stp"; did you mean step?',
    );
    expect(() => requireOneOf(7, "sync", valid)).toThrow("but received 7");
  });
});

describe("requireArray", () => {
  it("accepts arrays and typed arrays of the right length", () => {
    const lengths = Int32Array.of(1, 2);
    expect(requireArray(lengths, "lengths", 2)).toBe(lengths);
    expect(() => requireArray([1], "lengths", 2)).toThrow("an array of length 2 for lengths");
    expect(() => requireArray("12" as never, "lengths")).toThrow(
      'an array for lengths but received "12"',
    );
    expect(() => requireArray(new DataView(new ArrayBuffer(2)) as never, "x")).toThrow("an array");
  });
});

describe("nearest", () => {
  it("finds swapped, missing and wrong letters, closest first", () => {
    const words = ["window", "workers", "windows"];
    expect(nearest("widnow", words)).toEqual(["window", "windows"]);
    expect(nearest("WINDOW", words)).toEqual(["window", "windows"]);
    expect(nearest("zebra", words)).toEqual([]);
    expect(nearest("", ["a", "bc"])).toEqual(["a"]);
  });

  it("gives at most three, ties in the given order", () => {
    expect(nearest("abc", ["abd", "abe", "abf", "abg"])).toEqual(["abd", "abe", "abf"]);
  });
});
