/**
 * Parallel layout, ranks, pools, owned rows, link classes, and rank discovery from the environment.
 *
 * @packageDocumentation
 */
export {};
