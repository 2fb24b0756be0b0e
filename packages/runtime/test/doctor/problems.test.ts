import { describe, expect, it } from "vitest";
import { examine } from "../../src/doctor/examine.js";
import type { Findings } from "../../src/doctor/findings.js";
import type { KernelChoice } from "../../src/doctor/kernels.js";
import { findProblems } from "../../src/doctor/problems.js";
import { SystemFiles } from "../../src/doctor/system-files.js";
import { fakeMachine } from "./fake-machine.js";

const here: Findings = examine({
  ...{
    files: new SystemFiles(fakeMachine({})),
    environment: { PATH: "/nowhere" },
    loaderCache: "",
  },
  measure: false,
});
const kernels: KernelChoice = {
  available: ["avx512", "avx2", "base"],
  ...{ chosen: "avx512", override: undefined, bfloat16: "dot", bfloat16Override: undefined },
};
const judged = (changes: Partial<Findings>) =>
  findProblems({ ...here, kernels, ...changes }).map(({ severity, text, remedy }) =>
    [severity, text, ...(remedy === undefined ? [] : [remedy])].join(": "),
  );

describe("findProblems", () => {
  it("finds nothing wrong where nothing is", () => {
    expect(judged({})).toEqual([]);
  });

  it("refuses an old Node by the package's own range", () => {
    const wanted = { nodeWanted: ">=20.19" };
    expect(judged({ node: "v20.18.1", ...wanted })).toEqual([
      "error: Node v20.18.1 is too old: install Node 20.19 or newer",
    ]);
    for (const node of ["v20.19.0", "v22.1.0"]) expect(judged({ node, ...wanted })).toEqual([]);
  });

  it("notes kernels below what the machine has, and overrides without effect", () => {
    const older = { ...kernels, chosen: "avx2", override: "avx2" };
    expect(judged({ kernels: older })[0]).toContain("LIBRA_ISA=avx2 keeps the kernels below");
    expect(judged({ kernels: { ...kernels, bfloat16Override: "dots" } })).toEqual([
      "warning: LIBRA_BF16=dots has no effect: products are formed by dot: only LIBRA_BF16=convert has one",
    ]);
  });

  it("says that rates of a busy machine are low", () => {
    const rate = { one: 1, all: 2 };
    const rates = { threads: 2, float32: rate, bfloat16: undefined, copy: rate, load: 3.25 };
    expect(judged({ rates })[0]).toMatch(
      /^note: The machine is not idle \(load 3\.3 on \d+ cores\)/,
    );
  });
});
