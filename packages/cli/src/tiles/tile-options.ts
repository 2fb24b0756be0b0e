import { plannerNames } from "@libra/scheduler";
import { clusterNames } from "@libra/simulator";
import { type OwnedRowsName, ownedRowsNames } from "@libra/topology";
import { InvalidArgumentError, Option } from "commander";
import { parseCount } from "../parse-count.js";

/** The options of `libra plan --tiles`, as commander hands them over. */
export interface TileOptions {
  tiles?: boolean;
  planner: (typeof plannerNames)[number];
  heads: number[];
  tolerance: number | "auto";
  chunks: number;
  hops: number;
  ownedRows: OwnedRowsName;
  surplus: "heads" | "documents";
  cluster: string;
  nodeSize?: number;
  explain: "slowest" | "all";
  tilesOut?: string;
}

/** The options, declared. */
export const tileOptions: Option[] = [
  new Option("--tiles", "plan which rank computes which rows × heads, and explain it"),
  new Option("--planner <name>", "what makes the tiles").choices(plannerNames).default("libra"),
  new Option("--heads <query,kv,dim>", "heads of one tp rank; a fourth number: width of values")
    .argParser(parseHeads)
    .default([32, 8, 128], "32,8,128"),
  new Option("--tolerance <share>", "excess that a worker may keep so that less moves; or auto")
    .argParser(parseTolerance)
    .default(0.01),
  new Option("--chunks <n>", "pieces in which the exchange overlaps the attention")
    .argParser(parseCount)
    .default(4),
  new Option("--hops <n>", "2: what a node needs crosses the network once")
    .argParser(parseHops)
    .default(1),
  new Option("--owned-rows <how>", "rows of its sequence that a rank holds")
    .choices(ownedRowsNames)
    .default("contiguous"),
  new Option("--surplus <what>", "what leaves a group first (libra)")
    .choices(["heads", "documents"])
    .default("heads"),
  new Option("--cluster <name>", "device and network of the prediction")
    .choices(clusterNames)
    .default("h100-ib"),
  new Option("--node-size <n>", "ranks of a node; default: the cluster's").argParser(parseNodeSize),
  new Option("--explain <which>", "pools whose table of workers is printed")
    .choices(["slowest", "all"])
    .default("slowest"),
  new Option("--tiles-out <folder>", "write one column file for each pool and micro-step"),
];

function parseHeads(text: string): number[] {
  const heads = text.split(",").map(parseCount);
  const [queryHeads = 0, kvHeads = 0] = heads;
  if (!(heads.length === 3 || heads.length === 4) || heads.includes(0)) {
    throw new InvalidArgumentError(
      "Expected query heads, KV heads and head dim, such as 32,8,128.",
    );
  }
  if (queryHeads % kvHeads === 0) return heads;
  throw new InvalidArgumentError(
    `Expected query heads that are a multiple of the ${kvHeads} KV heads.`,
  );
}

function parseNodeSize(text: string): number {
  const ranks = parseCount(text);
  if (ranks > 0) return ranks;
  throw new InvalidArgumentError("Expected a positive integer.");
}

function parseTolerance(text: string): number | "auto" {
  if (text === "auto") return text;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("Expected a number from 0 to 1, or auto.");
}

function parseHops(text: string): number {
  if (text === "1" || text === "2") return Number(text);
  throw new InvalidArgumentError("Expected 1 or 2.");
}
