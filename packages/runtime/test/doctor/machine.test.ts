import { describe, expect, it } from "vitest";
import { findGpus } from "../../src/doctor/gpus.js";
import { readLimits } from "../../src/doctor/limits.js";
import { readProcessor } from "../../src/doctor/processor.js";
import { numbersOf, SystemFiles } from "../../src/doctor/system-files.js";
import { fakeMachine } from "./fake-machine.js";

const cpu = "/sys/devices/system/cpu";

/** Two cores with two threads each: cpu0 and cpu2 are one core, cpu1 and cpu3 the other. */
function twoCores(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const thread of [0, 1, 2, 3]) {
    const siblings = thread % 2 === 0 ? "0,2" : "1,3";
    files[`${cpu}/cpu${thread}/topology/core_cpus_list`] = siblings;
    files[`${cpu}/cpu${thread}/topology/package_cpus_list`] = "0-3";
    const caches = [
      ["1", "Data", "48K", siblings],
      ["1", "Instruction", "32K", siblings],
      ["2", "Unified", "1024K", siblings],
      ["3", "Unified", "32M", "0-3"],
    ] as const;
    for (const [index, [level, type, size, shared]] of caches.entries()) {
      const folder = `${cpu}/cpu${thread}/cache/index${index}`;
      Object.assign(files, {
        [`${folder}/level`]: `${level}\n`,
        [`${folder}/type`]: `${type}\n`,
        [`${folder}/size`]: `${size}\n`,
        [`${folder}/shared_cpu_list`]: `${shared}\n`,
      });
    }
  }
  return files;
}

describe("readProcessor", () => {
  it("counts sockets, cores, threads and caches", () => {
    const info = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu avx2 fma sse4_2\n";
    const files = new SystemFiles(fakeMachine({ "/proc/cpuinfo": info, ...twoCores() }));
    const { caches, ...processor } = readProcessor(files);
    expect(processor).toEqual({
      model: "Some CPU @ 2 GHz",
      features: ["sse4_2", "fma", "avx2"],
      ...{ sockets: 1, cores: 2, threads: 4 },
    });
    expect(caches).toEqual([
      { level: 1, kind: "data", bytes: 48 * 2 ** 10, sharedBy: 2, count: 2 },
      { level: 1, kind: "instruction", bytes: 32 * 2 ** 10, sharedBy: 2, count: 2 },
      { level: 2, kind: "unified", bytes: 2 ** 20, sharedBy: 2, count: 2 },
      { level: 3, kind: "unified", bytes: 32 * 2 ** 20, sharedBy: 4, count: 1 },
    ]);
  });

  it("names an arm64 processor by its numbers", () => {
    const info = "Features\t: fp asimd bf16\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n";
    const { model, features } = readProcessor(
      new SystemFiles(fakeMachine({ "/proc/cpuinfo": info })),
    );
    expect(model).toBe("arm64, implementer 0x41, part 0xd4f");
    expect(features).toEqual(["asimd", "bf16"]);
  });

  it("does without /proc and /sys", () => {
    const processor = readProcessor(new SystemFiles(fakeMachine({})));
    expect(processor).toMatchObject({ sockets: undefined, cores: undefined, caches: [] });
    expect(processor.threads).toBeGreaterThan(0);
  });
});

describe("readLimits", () => {
  const limits = (files: Record<string, string>) => readLimits(new SystemFiles(fakeMachine(files)));

  it("takes the tightest control group of version 2 on the way up", () => {
    const found = limits({
      "/proc/self/cgroup": "0::/a/b\n",
      "/proc/self/status": "Name:\tnode\nCpus_allowed_list:\t0-2,8\n",
      "/proc/meminfo": "MemTotal:       8388608 kB\nMemAvailable:    4194304 kB\n",
      "/sys/fs/cgroup/a/cpu.max": "150000 100000\n",
      "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
      "/sys/fs/cgroup/a/memory.max": "max\n",
      "/sys/fs/cgroup/a/b/memory.max": "1073741824\n",
    });
    expect(found).toMatchObject({ affinity: 4, quota: 1.5, memoryLimit: 2 ** 30 });
    expect(found).toMatchObject({ memory: 2 ** 33, memoryAvailable: 2 ** 32 });
  });

  it("reads version 1, where no limit is a huge number", () => {
    const found = limits({
      "/proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/c\n0::/\n",
      "/proc/meminfo": "MemTotal: 8388608 kB\n",
      "/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us": "200000\n",
      "/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us": "100000\n",
      "/sys/fs/cgroup/memory/m/memory.limit_in_bytes": "9223372036854771712\n",
    });
    expect(found).toMatchObject({ quota: 2, memoryLimit: undefined });
  });

  it("finds no limit where none is told", () => {
    const found = limits({ "/proc/self/cgroup": "3:cpu:/c", "/sys/fs/cgroup/cpu/c/x": "" });
    expect(found).toMatchObject({ affinity: undefined, quota: undefined, memoryLimit: undefined });
    expect(found.memory).toBeGreaterThan(0);
  });
});

it("GPUs are read from /proc where there is no nvidia-smi", () => {
  const files = new SystemFiles(
    fakeMachine({
      "/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA H200\nIRQ: 1\n",
      "/proc/driver/nvidia/version":
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.82.07  Wed\nGCC version: 12\n",
    }),
  );
  expect(findGpus({ files, environment: { PATH: "/nowhere" } })).toEqual({
    gpus: [{ name: "NVIDIA H200", memory: undefined }],
    driver: "580.82.07",
  });
});

it("lists of numbers are read as ranges", () => {
  expect(numbersOf("0-2,5")).toEqual([0, 1, 2, 5]);
  expect(numbersOf("")).toEqual([]);
});
