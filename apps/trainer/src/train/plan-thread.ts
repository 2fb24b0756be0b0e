import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type ErrorCode, LibraError } from "@libra/base";
import type { PlannerOptions, TilePlan } from "@libra/scheduler";
import type { TileRequest } from "./tile-planning.js";

/** A request with the planner that carries it out. */
export interface ThreadRequest extends TileRequest {
  readonly planner: string;
  readonly options: PlannerOptions;
}

interface Answer {
  readonly id: number;
  readonly plan?: TilePlan;
  readonly error?: { code?: ErrorCode; message: string };
}

interface Waiting {
  resolve(plan: TilePlan): void;
  reject(error: Error): void;
}

// Ranks are at most one step apart, so older plans are not asked for again.
const kept = 64;

/**
 * A thread that makes the tile plans of planners whose scope is the world. The ranks of a process share
 * it and its plans: what one of them has asked for, the others get too.
 */
export class PlanThread {
  readonly #waiting = new Map<number, Waiting>();
  readonly #plans = new Map<string, Promise<TilePlan>>();
  #worker: Worker | undefined;
  #requests = 0;

  /**
   * @param key - names the request; the ranks of a process pass equal ones for equal requests
   * @param request - made only when no rank has asked before; its arrays move to the thread
   * @throws LibraError of the planner; `INTERNAL` when the thread ended
   */
  plan(key: string, request: () => ThreadRequest): Promise<TilePlan> {
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = this.#ask(request());
    this.#plans.set(key, plan);
    if (this.#plans.size > kept) this.#plans.delete(this.#plans.keys().next().value!);
    return plan;
  }

  /** Ends the thread; plans that are still being made fail. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(request: ThreadRequest): Promise<TilePlan> {
    const worker = this.#started();
    const id = this.#requests++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const { sequences, owned } = request.input;
      const arrays = [...sequences, ...owned.flatMap((rows) => [rows.starts, rows.ends])];
      const buffers = new Set(arrays.map((array) => array.buffer as ArrayBuffer));
      worker.postMessage({ id, ...request }, [...buffers]);
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startWorker();
    worker.on("message", ({ id, plan, error }: Answer) => {
      const { resolve, reject } = this.#waiting.get(id)!;
      this.#waiting.delete(id);
      if (plan !== undefined) resolve(Object.freeze(plan));
      else reject(new LibraError(error!.code ?? "INTERNAL", error!.message));
    });
    worker.on("error", (cause) => this.#fail(cause.message, cause));
    worker.on("exit", (code) => this.#fail(`code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #fail(why: string, cause?: Error): void {
    const options = cause === undefined ? {} : { cause };
    const error = new LibraError("INTERNAL", `The thread of tile plans ended: ${why}`, options);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

// This module lies beside the worker in the sources, and one folder above it once bundled. Node itself
// runs the worker, so the packages it imports are the built ones, whatever conditions are set here.
function startWorker(): Worker {
  const beside = new URL("./plan-worker.mjs", import.meta.url);
  if (existsSync(fileURLToPath(beside))) return new Worker(beside, { execArgv: [] });
  return new Worker(new URL("./train/plan-worker.js", import.meta.url));
}
