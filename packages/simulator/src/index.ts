/**
 * Discrete-event training steps: what each strategy would give on a cluster, from the real planners.
 *
 * @packageDocumentation
 */
export { type CompareOptions, type Comparison, compare, describeSettings } from "./compare.js";
export { createScenario, type ScenarioOptions } from "./create-scenario.js";
export { secondsOf, ticksPerSecond } from "./engine/ticks.js";
export { gainByWindow, type WindowGain } from "./gain-by-window.js";
export { Account, type Kind, kinds } from "./layer/account.js";
export { type Cluster, clusterByName, clusterNames } from "./machine/cluster.js";
export { type ReadText, readCluster } from "./machine/read-cluster.js";
export { modelNames, presetModel, readModel } from "./machine/read-model.js";
export { closeEnough, type Recommendation, recommend } from "./recommend.js";
export type { Scenario } from "./scenario.js";
export { type SimulateOptions, type Simulation, simulate } from "./simulate.js";
export {
  type AttentionSimulation,
  type SimulateAttentionOptions,
  simulateAttention,
} from "./simulate-attention.js";
export { type SimulationData, type StepData, simulationData } from "./simulation-data.js";
export { type StandInOptions, standInLengths } from "./stand-in.js";
export type { MemoryReport } from "./step/memory.js";
export { type Breakdown, type StepResult, simulateStep } from "./step/simulate-step.js";
export type { StageSpan } from "./step/step-graph.js";
export type { PoolStep, StepWork } from "./step/step-work.js";
export {
  type Candidates,
  candidateSettings,
  createStrategy,
  requireStrategy,
} from "./strategies/by-name.js";
export type { CorpusOptions } from "./strategies/planned-strategy.js";
export type { SettingsInput } from "./strategies/settings.js";
export {
  type Setting,
  type Strategy,
  type StrategyName,
  strategyNames,
  strategyTitles,
} from "./strategies/strategy.js";
