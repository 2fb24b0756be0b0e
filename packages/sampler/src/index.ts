/**
 * Length sources, packing, variance-reduced sequence placement and resumable step plans.
 *
 * @packageDocumentation
 */
export {};
