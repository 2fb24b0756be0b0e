// Benchmark programs in processes of their own that answer one JSON line for each request line.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts a program; `close` ends it. One that ends early fails the requests that wait. */
export function startPeer(command, args = []) {
  // PyTorch then asks for huge pages too.
  const env = { ...process.env, THP_MEM_ALLOC_ENABLE: "1" };
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env });
  const waiting = [];
  const fail = (reason) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${command}: ${reason}`));
  };
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => fail(`ended with ${signal ?? code}`));
  createInterface({ input: child.stdout }).on("line", (line) => {
    waiting.shift()?.resolve(JSON.parse(line));
  });
  return {
    ask(request) {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${request}\n`);
      });
    },
    close() {
      child.stdin.end();
    },
  };
}

/** Starts a program of native/bench from the release build, or ends with what to build. */
export function startNative(name) {
  const program = fileURLToPath(new URL(`../../build/release/bench/${name}`, import.meta.url));
  if (!existsSync(program)) {
    console.error(`No ${program}: build it with node packages/runtime/scripts/build-native.mjs`);
    process.exit(1);
  }
  return startPeer(program);
}

/**
 * Asks until other processes took less than `quiet` cores meanwhile, at most `attempts` times; the
 * quietest answer counts. `foreignTrials` counts the disturbed ones, `unclean` the answers that
 * count although they were disturbed.
 */
export class Trials {
  foreignTrials = 0;
  unclean = 0;

  constructor({ quiet = 0.05, attempts = 6 } = {}) {
    this.quiet = quiet;
    this.attempts = attempts;
  }

  async ask(peer, request) {
    let best;
    for (let attempt = 0; attempt < this.attempts; attempt += 1) {
      const answer = await peer.ask(request);
      if (best === undefined || answer.foreign < best.foreign) best = answer;
      if (answer.foreign <= this.quiet) break;
      this.foreignTrials += 1;
    }
    if (best.foreign > this.quiet) this.unclean += 1;
    return best;
  }
}

/** Four significant digits. */
export const rounded = (value) => Number(value.toPrecision(4));
