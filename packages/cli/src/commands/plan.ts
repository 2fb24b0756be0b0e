import { createSampler } from "@libra/sampler";
import type { Command } from "commander";
import type { Io } from "../io.js";
import { checkOptions } from "../plan/check-options.js";
import { inFlags } from "../plan/in-flags.js";
import { planEpoch } from "../plan/plan-epoch.js";
import { planHelp } from "../plan/plan-help.js";
import { planMegatron } from "../plan/plan-megatron.js";
import { addPlanOptions, type PlanOptions } from "../plan/plan-options.js";
import { readCorpus } from "../plan/read-corpus.js";
import { requirePatience } from "../plan/require-patience.js";
import { samplerOptions } from "../plan/sampler-options.js";
import { type PlanSummary, SkewCollector } from "../plan/summary.js";
import { summaryTable } from "../plan/table.js";
import { PlanTrace } from "../plan/trace.js";
import { writePlans, writeTrace } from "../plan/write-outputs.js";
import { requireTiles } from "../tiles/require-tiles.js";
import { startTiles } from "../tiles/tile-run.js";
import { tileText } from "../tiles/tile-text.js";

/** `libra plan`: lengths in, plan out. */
export function addPlan(program: Command, io: Io): void {
  const command = program
    .command("plan")
    .description("place packed sequences so that every step is even: lengths in, plan out")
    .argument("[lengths...]", "files or folders that tell document lengths")
    .addHelpText("after", planHelp);
  addPlanOptions(command);
  command.action(async (paths: string[], options: PlanOptions) => {
    requireTiles(command, options);
    await inFlags(command, async () => checkOptions(command, paths, options));
    const { megatronCache } = options;
    if (megatronCache !== undefined) {
      await inFlags(command, () => planMegatron(megatronCache, paths, options, io));
      return;
    }
    const { summary, tables } = await inFlags(command, () => plan(paths, options, io));
    const text = options.json ? `${JSON.stringify(summary)}\n` : textOf(summary, tables, io.colors);
    // Standard output is the plan's then.
    if (options.out === "-") io.error(text);
    else io.out(text);
  });
}

function textOf(summary: PlanSummary, tables: readonly string[], colors: boolean): string {
  const steps = summaryTable(summary, colors);
  return summary.tiles === undefined ? steps : steps + tileText(summary.tiles, tables, colors);
}

interface Planned {
  summary: PlanSummary;
  /** Tables of workers, with --tiles. */
  tables: readonly string[];
}

async function plan(paths: readonly string[], options: PlanOptions, io: Io): Promise<Planned> {
  const { lengths, corpus } = await readCorpus(paths, options, io);
  requirePatience(corpus.tokens, options);
  const chosen = await samplerOptions(lengths, options);
  const sampler = createSampler(chosen.sampler);
  const { epoch, dp, microSteps, cp, sync, placement, seed } = options;
  const { poolSize } = chosen.sampler;
  // The sampler reports on the epoch it stands in.
  sampler.restore({ ...sampler.state(), epoch });
  const inEpoch = sampler.stepsPerEpoch;
  const planned = Math.min(inEpoch, options.steps ?? inEpoch);
  const skews = new SkewCollector();
  const steps = new PlanTrace(cp);
  const tiles = options.tiles
    ? startTiles(options, { dp, cp, poolSize, cost: chosen.cost })
    : undefined;
  const observe = (step: Parameters<SkewCollector["add"]>[0]) => {
    skews.add(step);
    const traced = options.trace !== undefined && skews.steps <= options.traceSteps;
    if (traced) steps.add(step);
    tiles?.run.add(step, traced);
  };
  const { report } = sampler;
  const plans = planEpoch(sampler, epoch, planned, observe, io);
  const files = await writePlans(plans, options, corpus.fingerprint, io);
  if (tiles?.files !== undefined) files.push(`${tiles.files}`);
  const trace = tiles?.trace ?? steps;
  if (options.trace !== undefined) files.push(await writeTrace(options.trace, trace, options));
  const result = tiles?.run.result();
  const summary = {
    corpus,
    configuration: {
      window: options.window!,
      dp,
      microSteps,
      poolSize,
      pools: dp / poolSize,
      cp,
      sync,
      placement,
      seed,
      epoch,
    },
    ...(chosen.choice === undefined ? {} : { poolSizeChoice: chosen.choice }),
    packing: report,
    steps: { inEpoch, planned: skews.steps },
    skew: skews.skew(),
    fillers: skews.fillers,
    ...(skews.repacked === undefined ? {} : { repacked: skews.repacked }),
    ...(result === undefined ? {} : { tiles: result.tiles }),
    files,
  };
  return { summary, tables: result?.tables ?? [] };
}
