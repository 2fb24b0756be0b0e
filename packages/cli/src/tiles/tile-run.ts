import type { PlanningCost } from "@libra/cost-model";
import type { StepPlan } from "@libra/sampler";
import type { PlanOptions } from "../plan/plan-options.js";
import { TileFiles } from "./tile-files.js";
import type { TileOptions } from "./tile-options.js";
import { type PlannedPool, TilePlanning } from "./tile-planning.js";
import { type ExplainedPool, TileCollector, type TileSummary } from "./tile-summary.js";
import { TileTrace } from "./tile-trace.js";

/** Plans the tiles of steps that stream by, and sends them where the options say. */
export class TileRun {
  readonly #collector = new TileCollector();
  readonly #explained: ExplainedPool[] = [];
  readonly #tables: string[] = [];
  #slowest: PlannedPool | undefined;

  constructor(
    private readonly planning: TilePlanning,
    private readonly options: TileOptions,
    private readonly files: TileFiles | undefined,
    private readonly trace: TileTrace | undefined,
  ) {}

  /** @param traced - whether the trace shows this step */
  add(step: StepPlan, traced: boolean): void {
    for (const planned of this.planning.plan(step)) {
      const { report, plan } = planned;
      this.#collector.add(report, plan.loads);
      this.files?.write(planned);
      if (traced) this.trace?.add(planned);
      if (this.options.explain === "all") this.#explain(planned);
      else if (report.seconds > (this.#slowest?.report.seconds ?? -1)) this.#slowest = planned;
    }
  }

  /** Call once, after the last step. */
  result(): { tiles: TileSummary; tables: string[] } {
    if (this.#slowest !== undefined) this.#explain(this.#slowest);
    const { planner, hops, cluster } = this.options;
    const { heads, nodes } = this.planning;
    const tiles = {
      planner,
      heads,
      hops,
      cluster,
      ranksPerNode: nodes.ranksPerNode,
      ...this.#collector.figures(),
      explained: this.#explained,
    };
    return { tiles, tables: this.#tables };
  }

  #explain(planned: PlannedPool): void {
    this.#explained.push(this.planning.describe(planned));
    this.#tables.push(this.planning.explain(planned));
  }
}

/** A run with the outputs that the options ask for. */
export function startTiles(
  options: PlanOptions,
  shape: { dp: number; cp: number; poolSize: number; cost: PlanningCost | undefined },
): { run: TileRun; files: TileFiles | undefined; trace: TileTrace | undefined } {
  const planning = new TilePlanning(options, shape);
  const { tilesOut, overwrite = false, trace: traced, sync } = options;
  const files = tilesOut === undefined ? undefined : new TileFiles(tilesOut, overwrite);
  const trace = traced === undefined ? undefined : new TileTrace(planning.pools.length, sync);
  return { run: new TileRun(planning, options, files, trace), files, trace };
}
