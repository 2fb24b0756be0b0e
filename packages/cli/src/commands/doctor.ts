import { availableParallelism, totalmem } from "node:os";
import { LibraError } from "@libra/base";
import { discoverRank } from "@libra/topology";
import type { Command } from "commander";
import { loadOptional } from "../delegate.js";
import type { Io } from "../io.js";

/** `libra doctor`: what this machine has, and what is missing for which command. */
export function addDoctor(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command("doctor")
    .description("say what this machine has and what is missing for which command")
    .action(async () => {
      for (const [name, value] of facts()) io.out(`${name.padEnd(10)} ${value}\n`);
      io.out(`${"trainer".padEnd(10)} ${await presence("@libra/trainer", "libra train", io)}\n`);
      const runtime = await presence("@libra/runtime", "libra launch and libra train", io);
      io.out(`${"runtime".padEnd(10)} ${runtime}\n`);
      const loaded = await loadOptional("@libra/runtime", io).catch(() => undefined);
      if (typeof loaded?.runDoctor === "function") finish(Number(await loaded.runDoctor([])));
    });
}

function facts(): Array<[string, string]> {
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB of memory`;
  return [
    ["machine", `${process.platform}-${process.arch}, ${availableParallelism()} cores, ${memory}`],
    ["node", process.version],
    ["rank", rank()],
  ];
}

function rank(): string {
  try {
    const { rank, worldSize, source } = discoverRank(process.env);
    return `${rank} of ${worldSize}, from ${source}`;
  } catch (error) {
    if (error instanceof LibraError) return error.message;
    throw error;
  }
}

async function presence(name: string, purpose: string, io: Io): Promise<string> {
  try {
    const loaded = await loadOptional(name, io);
    return loaded === undefined
      ? `not installed; ${purpose} needs it: npm install ${name}`
      : `${name} loads`;
  } catch (error) {
    return `${name} is installed but fails to load: ${(error as Error).message.split("\n")[0]}`;
  }
}
