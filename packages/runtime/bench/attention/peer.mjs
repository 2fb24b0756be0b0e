// A benchmark program in a process of its own that answers one JSON line for each request line.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts the program; `close` ends it. A program that ends early fails the requests that wait. */
export function startPeer(command, args, env = process.env) {
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
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
