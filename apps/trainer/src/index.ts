/**
 * Reference driver: trains a Qwen3-style transformer end to end with Libra.
 *
 * @packageDocumentation
 */
export type { CommandOptions } from "./command/attempt.js";
export { runDemo } from "./command/demo.js";
export { runTrain } from "./command/train.js";
export { checkConfig, loadConfig } from "./config/load-config.js";
export { configSchema, type TrainConfig } from "./config/schema.js";
export { joinDocuments } from "./data/documents.js";
export { loadModel, saveModel } from "./model/hugging-face-folder.js";
export { initialParameters } from "./model/initial.js";
export { parameterShapes } from "./model/parameter-shapes.js";
export type { ModelSizes } from "./model/sizes.js";
export type { PreparedRun } from "./train/prepare.js";
export type { StepRecord } from "./train/step-record.js";
export { type TrainListener, train } from "./train/train.js";
