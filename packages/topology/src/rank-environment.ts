import { LibraError } from "@libra/base";
import { firstHost, tasksOfNode } from "./slurm.js";

/** Who started this process. */
export type RankSource = "libra" | "torchrun" | "openMpi" | "pmi" | "slurm" | "single";

/** A process's place in the world, as its launcher tells it. Frozen. */
export interface RankEnvironment {
  readonly source: RankSource;
  readonly rank: number;
  readonly worldSize: number;
  /** Rank among the processes of its node. */
  readonly localRank: number;
  /** Processes of its node; null when nothing tells. */
  readonly localSize: number | null;
  /** Number of its node; null when nothing tells. */
  readonly nodeRank: number | null;
  /** Host that the ranks meet at; null when nothing tells. */
  readonly masterAddress: string | null;
  readonly masterPort: number | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Launcher {
  source: RankSource;
  title: string;
  rank: string;
  worldSize: string;
  localRank: string;
  localSize: string;
  nodeRank?: string;
  /** Set in an allocation too, where no task runs yet: not a sign of this launcher by itself. */
  worldSizeIsNoSign?: true;
}

// In order of precedence. OMPI_COMM_WORLD_NODE_RANK is no node number but one more local rank.
const launchers: readonly Launcher[] = [
  {
    source: "libra",
    title: "LIBRA_*",
    rank: "LIBRA_RANK",
    worldSize: "LIBRA_WORLD_SIZE",
    localRank: "LIBRA_LOCAL_RANK",
    localSize: "LIBRA_LOCAL_SIZE",
    nodeRank: "LIBRA_NODE_RANK",
  },
  {
    source: "torchrun",
    title: "torchrun",
    rank: "RANK",
    worldSize: "WORLD_SIZE",
    localRank: "LOCAL_RANK",
    localSize: "LOCAL_WORLD_SIZE",
    nodeRank: "GROUP_RANK",
  },
  {
    source: "openMpi",
    title: "Open MPI",
    rank: "OMPI_COMM_WORLD_RANK",
    worldSize: "OMPI_COMM_WORLD_SIZE",
    localRank: "OMPI_COMM_WORLD_LOCAL_RANK",
    localSize: "OMPI_COMM_WORLD_LOCAL_SIZE",
  },
  {
    source: "pmi",
    title: "PMI",
    rank: "PMI_RANK",
    worldSize: "PMI_SIZE",
    localRank: "MPI_LOCALRANKID",
    localSize: "MPI_LOCALNRANKS",
  },
  {
    source: "slurm",
    title: "Slurm",
    rank: "SLURM_PROCID",
    worldSize: "SLURM_NTASKS",
    localRank: "SLURM_LOCALID",
    localSize: "SLURM_NTASKS_PER_NODE",
    nodeRank: "SLURM_NODEID",
    worldSizeIsNoSign: true,
  },
];

/**
 * A process's rank from its environment: `LIBRA_*`, torchrun, Open MPI, PMI, Slurm, else a single
 * process. The first launcher that left a sign decides alone; nothing is mixed in but the node's
 * size and number and the meeting point, where the launcher does not tell them.
 *
 * @param env - the environment, `process.env`; an empty value counts as unset
 * @throws LibraError `ENVIRONMENT` when the environment is half set, a value is no number, or a rank
 *   lies outside its world
 */
export function discoverRank(env: Environment): RankEnvironment {
  for (const launcher of launchers) {
    const signs = launcher.worldSizeIsNoSign
      ? [launcher.rank]
      : [
          launcher.rank,
          launcher.worldSize,
          ...(launcher.source === "pmi" ? [] : [launcher.localRank]),
        ];
    if (signs.some((name) => read(env, name) !== undefined)) return fromLauncher(env, launcher);
  }
  return Object.freeze({
    source: "single",
    rank: 0,
    worldSize: 1,
    localRank: 0,
    localSize: 1,
    nodeRank: 0,
    masterAddress: null,
    masterPort: null,
  });
}

function fromLauncher(env: Environment, launcher: Launcher): RankEnvironment {
  const missing = [launcher.rank, launcher.worldSize].filter(
    (name) => read(env, name) === undefined,
  );
  if (missing.length > 0) {
    const given = [launcher.rank, launcher.worldSize, launcher.localRank]
      .filter((name) => read(env, name) !== undefined)
      .map((name) => `${name}=${read(env, name)}`);
    throw new LibraError(
      "ENVIRONMENT",
      `The ${launcher.title} environment is half set: ${missing.join(" and ")} missing beside ${given.join(", ")}`,
      { details: { missing } },
    );
  }
  const worldSize = integer(env, launcher.worldSize, 1)!;
  const rank = integer(env, launcher.rank, 0, worldSize - 1, `${launcher.worldSize}=${worldSize}`)!;
  const slurm = slurmNode(env, worldSize);
  const localRank =
    integer(env, launcher.localRank, 0, worldSize - 1, `${launcher.worldSize}=${worldSize}`) ??
    slurm.localRank ??
    localRankFrom(rank, integer(env, launcher.localSize, 1) ?? slurm.localSize);
  const localSize =
    (launcher.source === "slurm" ? undefined : integer(env, launcher.localSize, 1, worldSize)) ??
    slurm.localSize ??
    (rank === localRank && slurm.nodes === 1 ? worldSize : null);
  if (localSize !== null && localRank >= localSize) {
    throw new LibraError(
      "ENVIRONMENT",
      `${launcher.localRank}=${localRank} lies outside the node's ${localSize} processes`,
      { details: { localRank, localSize } },
    );
  }
  const nodeRank =
    (launcher.nodeRank === undefined ? undefined : integer(env, launcher.nodeRank, 0)) ??
    integer(env, "SLURM_NODEID", 0) ??
    (localSize === worldSize ? 0 : null);
  return Object.freeze({
    source: launcher.source,
    rank,
    worldSize,
    localRank,
    localSize,
    nodeRank,
    masterAddress: masterAddress(env),
    masterPort:
      integer(env, "LIBRA_MASTER_PORT", 1, 65535) ?? integer(env, "MASTER_PORT", 1, 65535) ?? null,
  });
}

// Without any word about nodes a launch is taken to be on one.
function localRankFrom(rank: number, localSize: number | undefined): number {
  return localSize === undefined ? rank : rank % localSize;
}

interface SlurmNode {
  localRank?: number;
  localSize?: number;
  nodes: number;
}

// What Slurm tells about this node, where its tasks are the ranks (torchrun under Slurm is one task
// a node, whose counts say nothing about the ranks).
function slurmNode(env: Environment, worldSize: number): SlurmNode {
  const nodes = integer(env, "SLURM_STEP_NUM_NODES", 1) ?? integer(env, "SLURM_NNODES", 1) ?? 1;
  const tasks = integer(env, "SLURM_NTASKS", 1);
  if (tasks !== undefined && tasks !== worldSize) return { nodes };
  const node = integer(env, "SLURM_NODEID", 0) ?? (nodes === 1 ? 0 : undefined);
  const list = read(env, "SLURM_STEP_TASKS_PER_NODE") ?? read(env, "SLURM_TASKS_PER_NODE");
  const localSize =
    (list !== undefined && node !== undefined ? tasksOfNode(list, node) : undefined) ??
    integer(env, "SLURM_NTASKS_PER_NODE", 1);
  const localRank = integer(env, "SLURM_LOCALID", 0);
  return {
    nodes,
    ...(localSize === undefined ? {} : { localSize }),
    ...(localRank === undefined ? {} : { localRank }),
  };
}

function masterAddress(env: Environment): string | null {
  const given = read(env, "LIBRA_MASTER_ADDR") ?? read(env, "MASTER_ADDR");
  if (given !== undefined) return given;
  const list =
    read(env, "SLURM_STEP_NODELIST") ??
    read(env, "SLURM_JOB_NODELIST") ??
    read(env, "SLURM_NODELIST");
  return (list === undefined ? undefined : firstHost(list)) ?? null;
}

function read(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function integer(
  env: Environment,
  name: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
  because?: string,
): number | undefined {
  const text = read(env, name);
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range =
    max === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${min}`
      : `an integer from ${min} to ${max}`;
  throw new LibraError(
    "ENVIRONMENT",
    `Expected ${range}${because === undefined ? "" : ` (${because})`} for ${name} but received ${JSON.stringify(text)}`,
    { details: { name, value: text } },
  );
}
