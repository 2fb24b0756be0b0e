import { native } from "./native/native.js";

/** Instruction sets that the kernels can use on this machine, widest first. */
export function instructionSets(): readonly string[] {
  return Object.freeze(native().instructionSets().split(" "));
}
