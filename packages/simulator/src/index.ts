/**
 * Discrete-event training steps: what each strategy would give on a cluster, from the real planners.
 *
 * @packageDocumentation
 */
export { simulate } from "./simulate.js";
