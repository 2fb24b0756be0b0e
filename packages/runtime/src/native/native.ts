import type { AddonOnly, Binding } from "./binding.js";
import { load } from "./load.js";

let loaded: (Binding & AddonOnly) | undefined;

/** The addon, loaded on first use, so that importing this package needs no native part. */
export function native(): Binding {
  loaded ??= load();
  return loaded;
}
