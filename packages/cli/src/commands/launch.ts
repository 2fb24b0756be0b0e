import type { Command } from "commander";
import { delegate } from "../delegate.js";
import type { Io } from "../io.js";

/** `libra launch`: starts processes, one for each rank; found in the runtime. */
export function addLaunch(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command("launch")
    .description("start one process for each rank (not there yet: see libra train)")
    .argument("[words...]", "the launcher's own arguments")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const runtime = {
        ...{ command: "libra launch", package: "@libra/runtime", function: "runLaunch" },
        absent:
          "libra launch is not there yet: this version keeps all ranks in one process, " +
          "which libra train CONFIG.yaml starts by itself",
      };
      finish(await delegate(runtime, words, io));
    });
}
