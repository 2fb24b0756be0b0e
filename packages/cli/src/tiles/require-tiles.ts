import type { Command } from "commander";
import { UsageError } from "../usage-error.js";
import type { TileOptions } from "./tile-options.js";
import { tileOptions } from "./tile-options.js";

/**
 * Refuses options of tile plans where none are asked for, and tile plans where there are no steps.
 *
 * @throws UsageError
 */
export function requireTiles(
  command: Command,
  options: TileOptions & { megatronCache?: string },
): void {
  if (options.tiles) {
    if (options.megatronCache === undefined) return;
    throw new UsageError("--tiles has no meaning with --megatron-cache; pass LENGTHS in its place");
  }
  for (const option of tileOptions) {
    if (command.getOptionValueSource(option.attributeName()) !== "cli") continue;
    throw new UsageError(`${option.long} has a meaning only with --tiles`);
  }
}
