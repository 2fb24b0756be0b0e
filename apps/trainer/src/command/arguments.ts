import { parseArgs } from "node:util";
import { wrongOption } from "@libra/base";
import { loadConfig } from "../config/load-config.js";
import type { TrainConfig } from "../config/schema.js";
import { WrongUsage } from "./wrong-usage.js";

export const usage = `usage: libra train [CONFIG.yaml] [options]

  --set PATH=VALUE   a key of the configuration, such as optimizer.learningRate=1e-4; may repeat
  --ranks N          ranks of this process: dp becomes N / cp
  --resume           go on from the newest checkpoint of the run
  --help             this text

Exit codes: 0; 1 after an error; 2 after wrong usage.`;

const options = {
  set: { type: "string", multiple: true },
  ranks: { type: "string" },
  resume: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/**
 * What the command line asks for; undefined for help.
 *
 * @throws WrongUsage; LibraError `CONFIGURATION` for a configuration that is wrong
 */
export function parseTrainArguments(argv: readonly string[]): TrainConfig | undefined {
  const { values, positionals } = parse(argv);
  if (values.help) return undefined;
  if (positionals.length > 1) {
    throw new WrongUsage(`Expected one configuration file but received ${positionals.join(", ")}`);
  }
  const settings = [...(values.set ?? [])];
  if (values.resume) settings.push("checkpoint.resume=true");
  const config = loadConfig(positionals[0], settings);
  if (values.ranks === undefined) return config;
  const { cp } = config.layout;
  const ranks = Number(values.ranks);
  if (!Number.isInteger(ranks) || ranks < 1 || ranks % cp !== 0) {
    throw new WrongUsage(
      `--ranks: Expected a positive multiple of cp ${cp} but received ${values.ranks}`,
    );
  }
  return loadConfig(positionals[0], [...settings, `layout.dp=${ranks / cp}`]);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (cause) {
    throw new WrongUsage(wrongOption(cause, Object.keys(options), "libra train"), cause);
  }
}
