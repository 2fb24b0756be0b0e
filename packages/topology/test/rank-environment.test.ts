import { describe, expect, it } from "vitest";
import { discoverRank } from "../src/index.js";

describe("E3: environment variables", () => {
  it.each([
    [
      { RANK: "1", LOCAL_RANK: "1", WORLD_SIZE: "2", SLURM_PROCID: "0", SLURM_NTASKS: "1" },
      { source: "torchrun", rank: 1, worldSize: 2, localRank: 1 },
    ],
    [
      { SLURM_PROCID: "3", SLURM_NTASKS: "4", SLURM_LOCALID: "1" },
      { source: "slurm", rank: 3, worldSize: 4, localRank: 1 },
    ],
    [
      {
        OMPI_COMM_WORLD_RANK: "2",
        OMPI_COMM_WORLD_SIZE: "4",
        OMPI_COMM_WORLD_LOCAL_RANK: "0",
      },
      { source: "openMpi", rank: 2, worldSize: 4, localRank: 0 },
    ],
    [{}, { source: "single", rank: 0, worldSize: 1, localRank: 0, localSize: 1, nodeRank: 0 }],
  ])("%j", (env, wanted) => {
    expect(discoverRank(env)).toMatchObject(wanted);
    expect(Object.isFrozen(discoverRank(env))).toBe(true);
  });

  it.each([
    [{ RANK: "2" }, "The torchrun environment is half set: WORLD_SIZE missing beside RANK=2"],
    [{ WORLD_SIZE: "2" }, "RANK missing beside WORLD_SIZE=2"],
    [{ LOCAL_RANK: "0" }, "RANK and WORLD_SIZE missing beside LOCAL_RANK=0"],
    [
      { LIBRA_RANK: "0", RANK: "0", WORLD_SIZE: "1" },
      "LIBRA_WORLD_SIZE missing beside LIBRA_RANK=0",
    ],
    [
      { OMPI_COMM_WORLD_SIZE: "2" },
      "The Open MPI environment is half set: OMPI_COMM_WORLD_RANK missing",
    ],
    [{ PMI_RANK: "0" }, "PMI_SIZE missing"],
    [{ SLURM_PROCID: "3" }, "SLURM_NTASKS missing"],
    [
      { RANK: "4", WORLD_SIZE: "4" },
      'Expected an integer from 0 to 3 (WORLD_SIZE=4) for RANK but received "4"',
    ],
    [{ RANK: "-1", WORLD_SIZE: "4" }, 'for RANK but received "-1"'],
    [
      { RANK: "0", WORLD_SIZE: "two" },
      'Expected an integer of at least 1 for WORLD_SIZE but received "two"',
    ],
    [{ RANK: "0", WORLD_SIZE: "0" }, "WORLD_SIZE"],
    [{ RANK: "0", WORLD_SIZE: "2", LOCAL_RANK: "2" }, "for LOCAL_RANK"],
    [
      { RANK: "1", WORLD_SIZE: "4", LOCAL_RANK: "1", LOCAL_WORLD_SIZE: "1" },
      "LOCAL_RANK=1 lies outside the node's 1 processes",
    ],
    [
      { RANK: "0", WORLD_SIZE: "1", MASTER_PORT: "99999" },
      "Expected an integer from 1 to 65535 for MASTER_PORT",
    ],
  ])("%j is an error", (env, message) => {
    expect(() => discoverRank(env)).toThrow(message);
    expect(() => discoverRank(env)).toThrowError(expect.objectContaining({ code: "ENVIRONMENT" }));
  });
});

describe("precedence", () => {
  const slurm = { SLURM_PROCID: "5", SLURM_NTASKS: "8", SLURM_LOCALID: "1" };
  const pmi = { PMI_RANK: "4", PMI_SIZE: "8", MPI_LOCALRANKID: "0" };
  const openMpi = {
    OMPI_COMM_WORLD_RANK: "3",
    OMPI_COMM_WORLD_SIZE: "8",
    OMPI_COMM_WORLD_LOCAL_RANK: "1",
  };
  const torchrun = { RANK: "2", WORLD_SIZE: "8", LOCAL_RANK: "0" };
  const libra = { LIBRA_RANK: "1", LIBRA_WORLD_SIZE: "8", LIBRA_LOCAL_RANK: "1" };

  it("is LIBRA_*, torchrun, Open MPI, PMI, Slurm, single", () => {
    const all = [libra, torchrun, openMpi, pmi, slurm];
    const sources = all.map((_, i) => discoverRank(Object.assign({}, ...all.slice(i))));
    expect(sources.map(({ source }) => source)).toEqual([
      "libra",
      "torchrun",
      "openMpi",
      "pmi",
      "slurm",
    ]);
    expect(sources.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  });

  it("takes an allocation without a task, and empty values, for no launch", () => {
    expect(discoverRank({ SLURM_NTASKS: "8", SLURM_NNODES: "2" }).source).toBe("single");
    expect(discoverRank({ RANK: "", WORLD_SIZE: " " }).source).toBe("single");
    expect(discoverRank({ MASTER_ADDR: "a" })).toMatchObject({ source: "single" });
  });
});

describe("local size and node", () => {
  it("come from the launcher", () => {
    expect(
      discoverRank({
        RANK: "9",
        WORLD_SIZE: "16",
        LOCAL_RANK: "1",
        LOCAL_WORLD_SIZE: "8",
        GROUP_RANK: "1",
      }),
    ).toMatchObject({ localRank: 1, localSize: 8, nodeRank: 1 });
    expect(
      discoverRank({
        OMPI_COMM_WORLD_RANK: "9",
        OMPI_COMM_WORLD_SIZE: "16",
        OMPI_COMM_WORLD_LOCAL_RANK: "1",
        OMPI_COMM_WORLD_LOCAL_SIZE: "8",
        OMPI_COMM_WORLD_NODE_RANK: "1",
      }),
    ).toMatchObject({ localSize: 8, nodeRank: null });
    expect(
      discoverRank({ PMI_RANK: "3", PMI_SIZE: "4", MPI_LOCALRANKID: "1", MPI_LOCALNRANKS: "2" }),
    ).toMatchObject({ localRank: 1, localSize: 2 });
  });

  it("never fall back to the world where Slurm says otherwise", () => {
    const torchrun = { RANK: "5", WORLD_SIZE: "8", LOCAL_RANK: "1" };
    expect(discoverRank({ ...torchrun, SLURM_NTASKS_PER_NODE: "4" }).localSize).toBe(4);
    expect(
      discoverRank({
        ...torchrun,
        SLURM_NTASKS: "8",
        SLURM_TASKS_PER_NODE: "4(x2)",
        SLURM_NODEID: "1",
      }),
    ).toMatchObject({ localSize: 4, nodeRank: 1 });
    expect(discoverRank({ ...torchrun, SLURM_NNODES: "2" }).localSize).toBeNull();
    expect(
      discoverRank({ RANK: "1", WORLD_SIZE: "8", LOCAL_RANK: "1", SLURM_NNODES: "2" }).localSize,
    ).toBeNull();
  });

  it("ignore Slurm's counts where one task of a node started several ranks", () => {
    const env = {
      RANK: "3",
      WORLD_SIZE: "4",
      LOCAL_RANK: "1",
      SLURM_NTASKS: "2",
      SLURM_NTASKS_PER_NODE: "1",
      SLURM_LOCALID: "0",
      SLURM_NNODES: "2",
      SLURM_NODEID: "1",
    };
    expect(discoverRank(env)).toMatchObject({ localRank: 1, localSize: null, nodeRank: 1 });
    expect(discoverRank({ ...env, LOCAL_WORLD_SIZE: "2" })).toMatchObject({ localSize: 2 });
  });

  it("of Slurm follow its uneven lists", () => {
    const env = {
      SLURM_PROCID: "8",
      SLURM_NTASKS: "11",
      SLURM_TASKS_PER_NODE: "4(x2),3",
      SLURM_NNODES: "3",
    };
    expect(discoverRank({ ...env, SLURM_NODEID: "2", SLURM_LOCALID: "0" })).toMatchObject({
      localRank: 0,
      localSize: 3,
      nodeRank: 2,
    });
    const broken = { ...env, SLURM_NODEID: "2", SLURM_LOCALID: "0", SLURM_TASKS_PER_NODE: "4,?" };
    expect(discoverRank(broken).localSize).toBeNull();
  });

  it("are one node when nothing tells of more", () => {
    expect(discoverRank({ RANK: "1", WORLD_SIZE: "4" })).toMatchObject({
      localRank: 1,
      localSize: 4,
      nodeRank: 0,
    });
    expect(discoverRank({ RANK: "5", WORLD_SIZE: "8", LOCAL_WORLD_SIZE: "4" })).toMatchObject({
      localRank: 1,
    });
    expect(
      discoverRank({ SLURM_PROCID: "3", SLURM_NTASKS: "4", SLURM_LOCALID: "1" }).localSize,
    ).toBeNull();
  });
});

describe("meeting point", () => {
  const ranks = { RANK: "0", WORLD_SIZE: "2" };

  it("is LIBRA_*, then MASTER_*, then Slurm's first host", () => {
    const master = { MASTER_ADDR: "a", MASTER_PORT: "29500" };
    expect(discoverRank({ ...ranks, ...master })).toMatchObject({
      masterAddress: "a",
      masterPort: 29500,
    });
    const libra = { LIBRA_MASTER_ADDR: "b", LIBRA_MASTER_PORT: "4000" };
    expect(discoverRank({ ...ranks, ...master, ...libra })).toMatchObject({
      masterAddress: "b",
      masterPort: 4000,
    });
    expect(discoverRank(ranks)).toMatchObject({ masterAddress: null, masterPort: null });
  });

  it.each([
    ["gpu[003-006,010],login1", "gpu003"],
    ["gpu7", "gpu7"],
    ["gpu7,gpu8", "gpu7"],
    ["a-[1-2]-b[4,6]", "a-1-b4"],
    ["rack[2]n[01-04],x", "rack2n01"],
  ])("of %s is %s", (list, host) => {
    const env = { SLURM_PROCID: "0", SLURM_NTASKS: "2", SLURM_JOB_NODELIST: list };
    expect(discoverRank(env).masterAddress).toBe(host);
  });
});
