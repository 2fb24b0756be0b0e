import type { Command } from "commander";
import { delegate, loadOptional } from "../delegate.js";
import type { Io } from "../io.js";

/** `libra doctor`: the runtime looks at the machine; what needs no runtime is said without it. */
export function addDoctor(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command("doctor")
    .description("say what this machine has, what Libra will use, and what is wrong")
    .argument("[words...]", "the runtime's own arguments; libra doctor --help lists them")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const runtime = { command: "libra doctor", package: "@libra/runtime", function: "runDoctor" };
      const packages = { "@libra/trainer": await presence("@libra/trainer", "libra train", io) };
      finish(await delegate(runtime, words, io, { packages }));
    });
}

async function presence(name: string, purpose: string, io: Io): Promise<string> {
  try {
    const loaded = await loadOptional(name, io);
    return loaded === undefined
      ? `not installed; ${purpose} needs it: npm install ${name}`
      : "loads";
  } catch (error) {
    return `installed, but fails to load: ${(error as Error).message.split("\n")[0]}`;
  }
}
