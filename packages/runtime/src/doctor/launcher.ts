import { LibraError } from "@libra/base";
import { discoverRank, type RankEnvironment } from "@libra/topology";

/** What a launcher has told this process. */
export interface Launcher {
  /** Variables that are set, as NAME=value. */
  readonly variables: readonly string[];
  readonly rank: RankEnvironment | undefined;
  /** Why the variables make no sense. */
  readonly problem: string | undefined;
}

const names = [
  ...["LIBRA_RANK", "LIBRA_WORLD_SIZE", "LIBRA_LOCAL_RANK", "LIBRA_LOCAL_SIZE", "LIBRA_NODE_RANK"],
  ...["LIBRA_MASTER_ADDR", "LIBRA_MASTER_PORT"],
  ...["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"],
  ...["MASTER_ADDR", "MASTER_PORT"],
  ...["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
  ...["OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"],
  ...["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE", "SLURM_NODEID"],
  ...["SLURM_STEP_NUM_NODES", "SLURM_NNODES", "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"],
];

/** Reads the launcher's variables. */
export function readLauncher(environment: Readonly<Record<string, string | undefined>>): Launcher {
  const variables = names
    .filter((name) => (environment[name] ?? "") !== "")
    .map((name) => `${name}=${environment[name]}`);
  try {
    return { variables, rank: discoverRank(environment), problem: undefined };
  } catch (error) {
    if (!(error instanceof LibraError)) throw error;
    return { variables, rank: undefined, problem: error.message };
  }
}
