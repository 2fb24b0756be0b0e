import { LibraError } from "@libra/base";
import { discoverRank } from "@libra/topology";

const advice =
  "all ranks of a run are in one process, which is started once and without a launcher";

/**
 * Refuses what a launcher set: each of its processes would train all ranks and write the same files.
 *
 * @param environment - such as `process.env`; a world of one process is as good as none
 * @throws LibraError `ENVIRONMENT` for variables that are half set or make no sense, `UNSUPPORTED` for a
 *   process among several
 */
export function refuseLauncher(environment: Readonly<Record<string, string | undefined>>): void {
  const { source, rank, worldSize } = discover(environment);
  if (worldSize === 1) return;
  throw new LibraError(
    "UNSUPPORTED",
    `The environment makes this process rank ${rank} of ${worldSize} (${source}), but ${advice}; set layout.dp and layout.cp instead`,
  );
}

function discover(environment: Readonly<Record<string, string | undefined>>) {
  try {
    return discoverRank(environment);
  } catch (cause) {
    if (!(cause instanceof LibraError)) throw cause;
    throw new LibraError(cause.code, `${cause.message}; unset it: ${advice}`, { cause });
  }
}
