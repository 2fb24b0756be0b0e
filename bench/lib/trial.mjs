// Trials of a benchmark on a machine that others may be using: a trial that other processes
// disturbed is repeated, and how often that happened is part of the result.
import { readFileSync } from "node:fs";

const ticksPerSecond = 100; // USER_HZ, the unit of /proc/stat on every Linux

/** Busy seconds of all cores since boot, without idle, waiting for disks, steal and guests; null off Linux. */
function busySeconds() {
  let text;
  try {
    text = readFileSync("/proc/stat", "utf8");
  } catch {
    return null;
  }
  const [user, nice, system, , , irq, softirq] = text
    .split("\n")[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond;
}

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/**
 * Watches what other processes take.
 *
 * @returns {() => { wallMs: number, foreign: number }} tells the time since the call, and cores that
 *   others used in it
 */
export function watchForeign() {
  const before = { busy: busySeconds(), own: ownSeconds(), time: performance.now() };
  return () => {
    const wallMs = performance.now() - before.time;
    const own = ownSeconds() - before.own;
    const busy = before.busy === null ? own : busySeconds() - before.busy;
    return { wallMs, foreign: Math.max(0, busy - own) / (wallMs / 1000) };
  };
}

/**
 * Runs `run` until other processes took less than `limit` of one core meanwhile, at most `attempts`
 * times; the last attempts' quietest one counts when none was quiet.
 *
 * @returns {Promise<{ value: any, wallMs: number, foreign: number, foreignTrials: number }>} what
 *   `run` gave, its wall time, cores that others used during it, and how many attempts were disturbed
 */
export async function trial(run, { limit = 0.05, attempts = 6 } = {}) {
  let best;
  let foreignTrials = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const watch = watchForeign();
    const value = await run();
    const { wallMs, foreign } = watch();
    if (best === undefined || foreign < best.foreign) best = { value, wallMs, foreign };
    if (foreign <= limit) break;
    foreignTrials += 1;
  }
  return { ...best, foreignTrials };
}

/** The middle value, or the mean of the two middle ones. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
