import { expected } from "@libra/base";
import type { Command } from "commander";
import type { TileOptions } from "./tile-options.js";
import { tileOptions } from "./tile-options.js";

/**
 * Refuses options of tile plans where none are asked for, and tile plans where there are no steps.
 *
 * @throws LibraError `ARGUMENT`
 */
export function requireTiles(
  command: Command,
  options: TileOptions & { megatronCache?: string },
): void {
  if (options.tiles) {
    if (options.megatronCache === undefined) return;
    throw expected("LENGTHS in place of --megatron-cache", "--tiles", options.megatronCache);
  }
  for (const option of tileOptions) {
    if (command.getOptionValueSource(option.attributeName()) !== "cli") continue;
    throw expected(`--tiles with ${option.long}`, "--tiles", "none");
  }
}
