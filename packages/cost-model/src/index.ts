/**
 * Attention work, planning cost, predicted time, links and memory; model and hardware presets; calibration fit.
 *
 * @packageDocumentation
 */
export {};
