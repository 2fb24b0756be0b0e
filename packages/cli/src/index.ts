/**
 * Libra's command line as a function.
 *
 * @packageDocumentation
 */
export { type Io, processIo } from "./io.js";
export { runCli } from "./run-cli.js";
