/**
 * The drop-in context-parallel attention operator: forward and backward for any tile plan.
 *
 * @packageDocumentation
 */
export {};
