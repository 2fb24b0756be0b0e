import { describe, expect, it } from "vitest";
import { expected, LibraError } from "../src/index.js";

describe("LibraError", () => {
  it("holds a code, details and a cause", () => {
    const cause = new Error("below");
    const error = new LibraError("PLAN", "no", { cause, details: { rank: 3 } });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "LibraError", code: "PLAN", message: "no", cause });
    expect(error.details).toEqual({ rank: 3 });
  });

  it("leaves cause and details out when not given", () => {
    const error = new LibraError("STATE", "no");
    expect("cause" in error).toBe(false);
    expect(error.details).toBeUndefined();
  });
});

describe("expected", () => {
  it.each([
    [-3, "-3"],
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [undefined, "undefined"],
    [null, "null"],
    [5n, "5n"],
    ["x", '"x"'],
    [[1, 2], "[1,2]"],
    [{ a: 1 }, '{"a":1}'],
    [() => 1, "a function"],
    [Symbol("s"), "Symbol(s)"],
    [new Float32Array(3), "a Float32Array of 12 bytes"],
    [new Error("why"), "the error why"],
    [{ toJSON: () => undefined }, "an object"],
    ["y".repeat(200), `"${"y".repeat(78)}…`],
  ])("describes %s", (received, text) => {
    const error = expected("a positive integer", "window", received);
    expect(error.code).toBe("ARGUMENT");
    expect(error.message).toBe(`Expected a positive integer for window but received ${text}`);
  });

  it("describes an object that refers to itself", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(expected("x", "y", loop).message).toBe("Expected x for y but received an object");
  });
});
