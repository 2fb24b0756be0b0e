import { parseArgs } from "node:util";
import { describe, expect, it } from "vitest";
import { wrongOption } from "../src/index.js";

const options = { ranks: { type: "string" }, resume: { type: "boolean" } } as const;

function said(...args: string[]): string {
  try {
    parseArgs({ args, options, strict: true });
  } catch (cause) {
    return wrongOption(cause, Object.keys(options), "libra train");
  }
  return "nothing";
}

describe("wrongOption", () => {
  it("names what was perhaps meant", () => {
    expect(said("--rank", "2")).toBe(
      "Unknown option '--rank'; did you mean --ranks? libra train --help explains",
    );
    expect(said("--nonsense")).toBe("Unknown option '--nonsense'. libra train --help explains");
  });

  it("proposes nothing for an option that exists", () => {
    expect(said("--ranks")).toBe(
      "Option '--ranks <value>' argument missing. libra train --help explains",
    );
    expect(said("--resume=yes")).toMatch(/'--resume' does not take an argument\. libra train/);
  });
});
