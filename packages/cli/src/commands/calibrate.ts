import type { Command } from "commander";
import { delegate } from "../delegate.js";
import type { Io } from "../io.js";

/** `libra calibrate`: all words go to the runtime, which measures this machine. */
export function addCalibrate(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command("calibrate")
    .description("measure this machine and write its profile: libra calibrate --out profile.json")
    .argument("[words...]", "the runtime's own arguments; libra calibrate --help lists them")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const runtime = {
        command: "libra calibrate",
        package: "@libra/runtime",
        function: "runCalibrate",
      };
      finish(await delegate(runtime, words, io));
    });
}
