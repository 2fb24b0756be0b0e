import type { Command } from "commander";
import { delegate } from "../delegate.js";
import type { Io } from "../io.js";

/** `libra train`: all words go to the trainer, which has its own help. */
export function addTrain(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command("train")
    .description("train as a YAML configuration says: libra train CONFIG.yaml [--ranks N …]")
    .argument("[words...]", "the trainer's own arguments; libra train --help lists them")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const trainer = { command: "libra train", package: "@libra/trainer", function: "runTrain" };
      finish(await delegate(trainer, words, io));
    });
}
