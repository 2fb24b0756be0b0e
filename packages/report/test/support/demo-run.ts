import { fileURLToPath } from "node:url";

/** A runs folder that `libra demo` left: 12 steps of a tiny model on 4 ranks in one pool. */
export const demoRun = fileURLToPath(new URL("../fixtures/demo", import.meta.url));
