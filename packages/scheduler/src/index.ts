/**
 * Every context-parallel scheme as a tile plan: planners, exchange programs, explain and trace.
 *
 * @packageDocumentation
 */
export {};
