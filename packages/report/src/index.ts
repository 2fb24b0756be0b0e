/**
 * One self-contained HTML report, SVG and PNG, of a simulation or of a training run.
 *
 * @packageDocumentation
 */
export {};
