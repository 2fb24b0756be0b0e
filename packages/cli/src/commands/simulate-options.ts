import { sourceFormats } from "@libra/sampler";
import { clusterNames, modelNames, strategyNames } from "@libra/simulator";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseCount } from "../parse-count.js";

/** The options of `libra simulate`, as commander hands them over. */
export interface SimulateCommandOptions {
  lengths?: string[];
  standIn?: boolean;
  format?: string;
  column?: string;
  overlong: "split" | "truncate" | "drop" | "error";
  model: string;
  cluster: string;
  gpus: number[];
  window: number;
  cp: number[];
  tp: number;
  pp: number;
  parts: number;
  globalBatch?: number;
  experts: number;
  sharding: "none" | "zero1" | "zero2" | "zero3";
  recompute: "auto" | "none" | "full";
  jitter: number;
  strategies: string[];
  pools?: number[];
  tolerances?: number[];
  chunks?: number[];
  steps: number;
  seed: number;
  windows: boolean;
  json?: boolean;
}

const groups: Array<{ title: string; options: Option[] }> = [
  {
    title: "Corpus:",
    options: [
      new Option("--lengths <paths...>", "files or folders that tell document lengths"),
      new Option("--stand-in", "a made-up long-tailed corpus in place of --lengths"),
      new Option("--format <name>", "read --lengths as this, not by content").choices(
        sourceFormats,
      ),
      new Option("--column <name>", "column, field, array or tar member that tells lengths"),
      new Option("--overlong <policy>", "documents longer than the window")
        .choices(["split", "truncate", "drop", "error"])
        .default("split"),
    ],
  },
  {
    title: "Model and cluster:",
    options: [
      new Option("--model <name>", `${modelNames.join(", ")}, or a YAML file`).default("qwen3-8b"),
      new Option("--cluster <name>", `${clusterNames.join(", ")}, or a YAML file`).default(
        "h100-ib",
      ),
      counts("--gpus <n,...>", "devices; several sizes are compared").makeOptionMandatory(),
    ],
  },
  {
    title: "Layout (dp is what is left):",
    options: [
      count("--window <tokens>", "tokens of one packed sequence").makeOptionMandatory(),
      counts("--cp <n,...>", "ranks that share a packed sequence; several are compared").default(
        [1],
        "1",
      ),
      count("--tp <n>", "tensor parallelism").default(1),
      count("--pp <n>", "pipeline stages").default(1),
      count("--parts <n>", "model parts of a stage: above 1 interleaved").default(1),
      count("--global-batch <n>", "packed sequences of a step; default dp × pp"),
      count("--experts <n>", "ranks that share a layer's experts").default(1),
      new Option("--sharding <name>", "what data parallelism shards")
        .choices(["none", "zero1", "zero2", "zero3"])
        .default("zero1"),
      new Option("--recompute <what>", "activations that backward computes again")
        .choices(["auto", "none", "full"])
        .default("auto"),
      new Option("--jitter <share>", "spread of the devices' speeds")
        .argParser(parseShare)
        .default(0.07),
    ],
  },
  {
    title: "What to try:",
    options: [
      words("--strategies <names>", `of ${strategyNames.join(", ")}`).default(
        [...strategyNames],
        "all",
      ),
      counts("--pools <n,...>", "pool sizes of libra; default: divisors of dp up to 32"),
      shares("--tolerances <share,...>", "of libra and distca; default 0.01"),
      counts("--chunks <n,...>", "pieces of the exchange; default 4,8"),
      count("--steps <n>", "steps of the final figures").default(4),
      new Option("--seed <n>", "of shuffle, stand-in and jitter").argParser(parseCount).default(0),
    ],
  },
  {
    title: "Output:",
    options: [
      new Option("--no-windows", "leave out what Libra brings at shorter windows"),
      new Option("--json", "print everything as JSON, for libra report too"),
    ],
  },
];

/** Declares the options, in groups. */
export function addSimulateOptions(command: Command): void {
  for (const { title, options } of groups) {
    for (const option of options) command.addOption(option.helpGroup(title));
  }
}

function count(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parsePositive);
}

function counts(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => text.split(",").map(parsePositive));
}

function parsePositive(text: string): number {
  const value = parseCount(text);
  if (value > 0) return value;
  throw new InvalidArgumentError("Expected a positive number such as 4096, 128K or 1M.");
}

function shares(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => text.split(",").map(parseShare));
}

function words(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => text.split(","));
}

function parseShare(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("Expected a number from 0 to 1.");
}
