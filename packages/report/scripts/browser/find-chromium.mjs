import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/**
 * The browser of this machine.
 *
 * @param install - fetch Debian's when there is none and this is root
 * @returns its path, or undefined
 */
export function findChromium(install) {
  const found = places.find((place) => place && existsSync(place));
  if (found || !install || process.getuid?.() !== 0) return found;
  const command = ["install", "-y", "--no-install-recommends", "chromium"];
  spawnSync("apt-get", command, { stdio: "inherit" });
  return places.find((place) => place && existsSync(place));
}

/** Quiet, offline, and nothing kept. */
export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
