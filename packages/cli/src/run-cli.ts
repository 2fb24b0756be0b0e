import { createRequire } from "node:module";
import { LibraError } from "@libra/base";
import { Command, CommanderError } from "commander";
import { createColors } from "picocolors";
import { addCalibrate } from "./commands/calibrate.js";
import { addDoctor } from "./commands/doctor.js";
import { addLaunch } from "./commands/launch.js";
import { addPlan } from "./commands/plan.js";
import { addReport } from "./commands/report.js";
import { addSimulate } from "./commands/simulate.js";
import { addTrain } from "./commands/train.js";
import type { Io } from "./io.js";
import { UsageError } from "./usage-error.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/**
 * Runs one command of `libra`.
 *
 * @param argv - the words after `libra`
 * @returns exit code: 0; 1 after an error that was printed; 2 after wrong usage; a delegated
 *   command's own
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = new Command("libra")
    .description("Balances attention work over ranks: plans, training runs and what they need.")
    .version(version)
    .showHelpAfterError("(libra COMMAND --help explains)")
    .addHelpText("after", "\nStart with: libra plan --help")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.error });
  const finish = (result: number) => {
    code = result;
  };
  addPlan(program, io);
  addSimulate(program, io);
  addReport(program, io);
  addCalibrate(program, io, finish);
  addTrain(program, io, finish);
  addLaunch(program, io, finish);
  addDoctor(program, io, finish);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof LibraError)) throw error;
    const { red } = createColors(io.colors);
    io.error(`${red("error")}: ${error.message}\n`);
    if (!(error instanceof UsageError)) return 1;
    io.error("(libra COMMAND --help explains)\n");
    return 2;
  }
}
