import { buildAdvice } from "../native/load.js";
import type { Findings } from "./findings.js";

/** Something that is wrong, or that people should know. */
export interface Problem {
  /** `error`: Libra cannot run. `warning`: it will not do what was meant. `note`: worth knowing. */
  readonly severity: "error" | "warning" | "note";
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Judges what was found, errors first. */
export function findProblems(findings: Findings): Problem[] {
  return [
    ...nodeProblems(findings),
    ...nativeProblems(findings),
    ...kernelProblems(findings),
    ...launcherProblems(findings),
    ...limitProblems(findings),
    ...softwareProblems(findings),
    ...rateProblems(findings),
  ];
}

function nodeProblems({ node, nodeWanted }: Findings): Problem[] {
  const numbers = (text: string) => (/(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  const [major = 0, minor = 0] = numbers(node);
  const [least = 0, leastMinor = 0] = numbers(nodeWanted);
  if (major > least || (major === least && minor >= leastMinor)) return [];
  const remedy = `install Node ${least}.${leastMinor} or newer`;
  return [{ severity: "error", text: `Node ${node} is too old`, remedy }];
}

function nativeProblems({ native }: Findings): Problem[] {
  if (native.at(-1)?.problem === undefined) return [];
  const tried = native.map(({ name, path, problem }) => `${path ?? name}: ${problem}`).join("; ");
  return [
    {
      severity: "error",
      text: `The native part does not load (${tried})`,
      remedy: buildAdvice(native),
    },
  ];
}

function kernelProblems({ kernels }: Findings): Problem[] {
  if (kernels === undefined) return [];
  const { available, chosen, override, bfloat16, bfloat16Override } = kernels;
  const problems: Problem[] = [];
  if (chosen === undefined) {
    problems.push({
      severity: "error",
      text: `LIBRA_ISA=${override}, but this machine runs ${available.join(", ")} only`,
      remedy: "unset LIBRA_ISA, or name one of these",
    });
  } else if (chosen !== available[0]) {
    const text = `LIBRA_ISA=${override} keeps the kernels below ${available[0]}`;
    problems.push({ severity: "note", text, remedy: "unset it for speed" });
  }
  if (bfloat16Override !== undefined && bfloat16Override !== "convert") {
    problems.push({
      severity: "warning",
      text: `LIBRA_BF16=${bfloat16Override} has no effect${bfloat16 === "convert" ? "" : `: products are formed by ${bfloat16}`}`,
      remedy: "only LIBRA_BF16=convert has one",
    });
  }
  return problems;
}

function launcherProblems({ launcher }: Findings): Problem[] {
  const { rank, problem } = launcher;
  if (problem !== undefined) {
    const remedy = "start through the launcher again, or unset its variables";
    return [{ severity: "error", text: problem, remedy }];
  }
  if (rank === undefined || rank.worldSize === 1) return [];
  return [
    {
      severity: "error",
      text: `This process is rank ${rank.rank} of ${rank.worldSize} (${rank.source}), but this version keeps all ranks in one process: libra train refuses to be one of several`,
      remedy: "start one process without a launcher, and give it the number of ranks",
    },
  ];
}

function limitProblems({ limits }: Findings): Problem[] {
  const { quota, counted } = limits;
  if (quota === undefined || quota >= counted) return [];
  return [
    {
      severity: "warning",
      text: `A control group allows ${quota.toFixed(1)} CPUs, but Libra counts ${counted} cores: more threads than CPUs only wait for each other`,
      remedy: `set the threads of a rank so that ranks × threads is at most ${Math.max(1, Math.floor(quota))}`,
    },
  ];
}

function softwareProblems({ software, gpus }: Findings): Problem[] {
  const { mpirun, ...libraries } = software;
  const problems: Problem[] = Object.values(libraries).flatMap(({ name, mistaken }) =>
    mistaken === undefined
      ? []
      : [{ severity: "warning" as const, text: `${name}: there is no ${mistaken}` }],
  );
  if (libraries.cudaDriver.path !== undefined || gpus.length > 0) {
    const text = "CUDA found, but this version has no CUDA device yet: everything runs on the CPU";
    problems.push({ severity: "note", text });
  }
  if (libraries.mpi.path !== undefined || mpirun !== undefined) {
    const text = "MPI found, but this version has no MPI transport yet";
    problems.push({ severity: "note", text });
  }
  return problems;
}

function rateProblems({ rates, limits }: Findings): Problem[] {
  if (rates === undefined || rates.load < 0.5) return [];
  const text = `The machine is not idle (load ${rates.load.toFixed(1)} on ${limits.counted} cores): measured rates may be low`;
  return [{ severity: "note", text }];
}
