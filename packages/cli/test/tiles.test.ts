import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { decodePlan, tilePlanHash } from "@libra/scheduler";
import { beforeAll, describe, expect, it } from "vitest";
import { run, useFolder } from "./run.js";

const file = useFolder();
const lengths = Array.from({ length: 200 }, (_, i) =>
  i % 11 === 0 ? 1800 + 17 * i : 20 + ((i * 37) % 300),
);
const shape = ["--window", "4K", "--dp", "4", "--pool-size", "2", "--cp", "3", "--steps", "2"];
const tiled = ["--micro-steps", "2", "--tiles", "--heads", "4,2,64"];

beforeAll(() => writeFileSync(file("lengths.txt"), lengths.join("\n")));
const plan = (...words: string[]) => run(["plan", file("lengths.txt"), ...shape, ...words]);
const tilesOf = async (...words: string[]) =>
  JSON.parse((await plan(...tiled, "--json", ...words)).out).tiles;

describe("libra plan --tiles", () => {
  it("prints the figures of all pools and the workers of the slowest", async () => {
    const { code, out, error } = await plan(...tiled, "--hops", "2", "--node-size", "2");
    expect(error).toBe("");
    expect(code).toBe(0);
    for (const part of [
      "before (arrival order)",
      "libra, 8 plans",
      "workerSkew (busiest ÷ mean of a pool)",
      "bound (no plan of its kind is below)",
      "skew over all ranks",
      "predicted time",
      "4 query and 2 KV heads of 64, h100-ib, 2 ranks a node, 2 hops",
      "The slowest:",
      "predicted:",
      "rows × heads",
      "foreign  peers",
    ]) {
      expect(out).toContain(part);
    }
    expect(out.match(/libra: 6 workers/g)).toHaveLength(1);
    const all = await plan(...tiled, "--explain", "all");
    expect(all.out.match(/libra: 6 workers/g)).toHaveLength(8);
    expect(all.out).not.toContain("The slowest:");
  });

  it("gives the same as JSON, with the figures in their order", async () => {
    const tiles = await tilesOf("--tolerance", "0");
    expect(tiles).toMatchObject({ planner: "libra", hops: 1, cluster: "h100-ib", ranksPerNode: 8 });
    expect(tiles.plans).toHaveLength(8);
    for (const one of tiles.plans) {
      expect(one.workerSkew).toBeGreaterThanOrEqual(one.bound);
      expect(one.hash).toMatch(/^[0-9a-f]{16}$/);
      expect(one.seconds).toBeGreaterThanOrEqual(one.exposed);
    }
    const [slowest] = tiles.explained;
    expect(slowest.plan.reports).toHaveLength(6);
    expect(slowest.plan.timeline.seconds).toBe(tiles.seconds.worst);
    const ulysses = await tilesOf("--planner", "ulysses");
    expect(tiles.skew.worker.mean).toBeLessThan(ulysses.skew.worker.mean);
    expect(ulysses.moved.worst).toBe(0);
    const documents = await tilesOf("--surplus", "documents", "--owned-rows", "striped");
    expect(documents.plans[0].hash).not.toBe(tiles.plans[0].hash);
    expect(documents.skew.worker.mean).toBeLessThan(ulysses.skew.worker.mean);
    const auto = await tilesOf("--tolerance", "auto", "--steps", "1");
    expect(auto.seconds.worst).toBeGreaterThan(0);
  });

  it("writes a column file for each pool, and replaces none unless asked", async () => {
    const ran = await plan(...tiled, "--tiles-out", file("plans"), "--owned-rows", "zigzag");
    expect(ran.out).toContain(`wrote 8 tile plans in ${file("plans")}`);
    const names = readdirSync(file("plans"));
    expect(names).toHaveLength(8);
    const { plans } = await tilesOf("--owned-rows", "zigzag");
    for (const { step, microStep, pool, hash } of plans) {
      const path = `${file("plans")}/step${step}-micro${microStep}-pool${pool}.tiles`;
      const stored = decodePlan(readFileSync(path));
      expect(tilePlanHash(stored)).toBe(hash);
      expect(stored.heads).toEqual({ queryHeads: 4, kvHeads: 2, headDim: 64, valueDim: 64 });
      expect(stored.ranks[0]).toBe(6 * pool);
    }
    const again = await plan(...tiled, "--tiles-out", file("plans"));
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.error).toContain("it holds tile plans already; remove them or pass --overwrite");
    expect((await plan(...tiled, "--tiles-out", file("plans"), "--overwrite")).code).toBe(0);
    writeFileSync(file("no-folder"), "");
    const wrong = await plan(...tiled, "--tiles-out", file("no-folder"));
    expect(wrong.error).toContain("the output cannot be written: EEXIST");
    mkdirSync(file("empty"));
    expect((await plan(...tiled, "--tiles-out", file("empty"))).code).toBe(0);
  });

  it.each(["step", "microStep"])("draws one lane for each rank and stream (%s)", async (sync) => {
    const path = file(`tiles-${sync}.json`);
    const ran = await plan(...tiled, "--sync", sync, "--trace", path, "--trace-steps", "1");
    expect(ran.error).toBe("");
    const { traceEvents } = JSON.parse(readFileSync(path, "utf8"));
    type Event = Record<string, number> & { name: string; ph: string };
    const names = traceEvents.filter(({ name }: Event) => name === "thread_name");
    expect(names).toHaveLength(12 * 3);
    const slices: Event[] = traceEvents.filter(({ ph }: Event) => ph === "X");
    expect(new Set(slices.map(({ pid }) => pid))).toEqual(new Set(Array(12).keys()));
    for (let rank = 0; rank < 12; rank++) {
      for (let lane = 0; lane < 3; lane++) {
        const own = slices.filter(({ pid, tid }) => pid === rank && tid === lane);
        for (let i = 1; i < own.length; i++) {
          expect(own[i]!.ts).toBeGreaterThanOrEqual(own[i - 1]!.ts! + own[i - 1]!.dur! - 1e-6);
        }
      }
    }
  });

  it("teaches", async () => {
    const { out } = await run(["plan", "--help"]);
    for (const part of ["--tiles-out", "Tiles", "who computes what", "decodePlan", "--planner"]) {
      expect(out).toContain(part);
    }
  });

  it.each([
    [["--planner", "libra"], 2, "--planner has a meaning only with --tiles"],
    [["--tiles-out", "x"], 2, "--tiles-out has a meaning only with"],
    [["--tiles", "--planner", "ullyses"], 2, "Allowed choices are ulysses, allGather"],
    [["--tiles", "--heads", "8,2"], 2, "Expected query heads, KV heads and head dim"],
    [["--tiles", "--heads", "7,2,64"], 2, "query heads that are a multiple of the 2 KV heads"],
    [["--tiles", "--node-size", "0"], 2, "'--node-size <n>' argument '0' is invalid"],
    [["--tiles", "--chunks", "0"], 2, "for --chunks but received 0"],
    [["--dp", "0"], 2, "Expected a positive integer for --dp but received 0"],
    [["--steps", "0"], 2, "Expected a positive integer for --steps but received 0"],
    [["--dp", "100000"], 1, "One step takes 200000 packed sequences (--dp × --micro-steps)"],
    [["--tiles", "--tolerance", "2"], 2, "Expected a number from 0 to 1, or auto."],
    [["--tiles", "--hops", "3"], 2, "Expected 1 or 2."],
    [["--tiles", "--cluster", "cray"], 2, "Allowed choices are"],
    [["--tiles", "--megatron-cache", "x"], 2, "--tiles has no meaning with --megatron"],
    [["--tiles", "--planner", "disaggregated", "--tolerance", "auto"], 2, "--tolerance"],
  ])("refuses %j", async (words, code, message) => {
    const ran = await plan("--micro-steps", "2", ...(words as string[]));
    expect(ran.error).toContain(message);
    expect(ran.code).toBe(code);
  });
});
