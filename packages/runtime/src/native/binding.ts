/**
 * The addon's functions: `libra.h` name for name, in camel case. A tensor is two arguments, its
 * storage (null where optional) and its offset in bytes; a column is a typed array; the environment
 * is no argument and a last `out` handle is the result. `scripts/check-bindings.mjs` compares this
 * file with the header and with what the addon exports.
 */
declare const handle: unique symbol;
type Handle<Name extends string> = { readonly [handle]: Name };

export type NativeWorld = Handle<"world">;
export type NativeStorage = Handle<"storage">;
export type NativeStream = Handle<"stream">;
export type NativeEvent = Handle<"event">;
export type NativeCommunicator = Handle<"communicator">;
type NativeBlockList = Handle<"blockList">;
type NativeVectorBlocks = Handle<"vectorBlocks">;
type NativeVectorRuns = Handle<"vectorRuns">;
export type NativeSegments = Handle<"segments">;

/** Numbers of any of these arrays are copied when the call is made. */
export type Column = Int32Array | Uint32Array | Uint8Array | Float64Array;

interface NativeMemory {
  liveBytes: number;
  liveBlocks: number;
  peakBytes: number;
  cachedBytes: number;
  allocations: number;
  reuses: number;
  leaked: number;
}

export interface NativeTiming {
  count: number;
  wallMs: number;
  cpuMs: number;
  waitMs: number;
}

// biome-ignore format: one line a function, as in libra.h
export interface Binding {
  instructionSets(): string;
  bfloat16Products(instructionSet: string): string;
  peakFloat(threads: number, instructionSet: string): number;
  peakBfloat16(threads: number): number;
  copyBandwidth(threads: number, bytes: number): number;

  environmentDrain(drainMs: number): number;
  worldCreate(size: number, timeoutMs: number, threads: number, fuzz: boolean, seed: number, instructionSet: string): NativeWorld;
  worldRowBlock(world: NativeWorld): number;
  worldInstructionSet(world: NativeWorld): string;
  worldBeat(world: NativeWorld): void;
  worldFail(world: NativeWorld, code: string, message: string, details: string): void;
  worldFault(world: NativeWorld): Error | undefined;
  worldReturned(world: NativeWorld, rank: number): void;
  worldDrain(world: NativeWorld): number;
  worldDeadlock(world: NativeWorld): void;
  worldQueued(world: NativeWorld): number;
  worldClose(world: NativeWorld): void;

  storageCreate(world: NativeWorld, rank: number, bytes: number): NativeStorage;
  storageRelease(storage: NativeStorage): void;
  storageZero(storage: NativeStorage): void;
  storageWrite(storage: NativeStorage, data: ArrayBufferView, type: number): void;
  memoryStatistics(world: NativeWorld, rank: number): NativeMemory;
  memoryTrim(world: NativeWorld, rank: number): void;

  streamCreate(world: NativeWorld, rank: number, name: string): NativeStream;
  streamRecord(stream: NativeStream): NativeEvent;
  streamWait(stream: NativeStream, event: NativeEvent): void;
  streamDone(stream: NativeStream): Promise<void>;
  streamRead(stream: NativeStream, tensor: NativeStorage, tensorOffset: number, count: number, type: number): Promise<ArrayBuffer>;
  streamTimings(stream: NativeStream): Record<string, NativeTiming>;
  streamResetTimings(stream: NativeStream): void;

  communicatorCreate(world: NativeWorld, key: string, ranks: Column, rank: number): NativeCommunicator;
  allReduce(communicator: NativeCommunicator, stream: NativeStream, tensor: NativeStorage, tensorOffset: number, count: number, type: number): void;
  reduceScatter(communicator: NativeCommunicator, stream: NativeStream, input: NativeStorage, inputOffset: number, output: NativeStorage, outputOffset: number, outputCount: number, type: number): void;
  allGather(communicator: NativeCommunicator, stream: NativeStream, input: NativeStorage, inputOffset: number, output: NativeStorage, outputOffset: number, inputBytes: number): void;
  broadcast(communicator: NativeCommunicator, stream: NativeStream, tensor: NativeStorage, tensorOffset: number, bytes: number, root: number): void;
  barrier(communicator: NativeCommunicator, stream: NativeStream): void;
  blockListCreate(peerOffsets: Column, buffer: Column, offset: Column, rows: Column, stride: Column, width: Column): NativeBlockList;
  /** transfers: five values each: send, receive, sources, destinations (both [storage, offset, bytes, …]), vectorBytes. */
  exchange(communicator: NativeCommunicator, stream: NativeStream, transfers: readonly unknown[]): void;

  linear(stream: NativeStream, x: NativeStorage, xOffset: number, weight: NativeStorage, weightOffset: number, residual: NativeStorage | null, residualOffset: number, out: NativeStorage, outOffset: number, rows: number, in_: number, outputs: number, type: number, outType: number): void;
  linearBackwardInput(stream: NativeStream, dOut: NativeStorage, dOutOffset: number, weight: NativeStorage, weightOffset: number, dx: NativeStorage, dxOffset: number, rows: number, in_: number, outputs: number, accumulate: boolean, type: number): void;
  linearBackwardWeight(stream: NativeStream, dOut: NativeStorage, dOutOffset: number, x: NativeStorage, xOffset: number, dWeight: NativeStorage, dWeightOffset: number, rows: number, in_: number, outputs: number, accumulate: boolean, type: number): void;
  rmsNorm(stream: NativeStream, x: NativeStorage, xOffset: number, weight: NativeStorage, weightOffset: number, out: NativeStorage, outOffset: number, inverseRms: NativeStorage, inverseRmsOffset: number, rows: number, width: number, eps: number, type: number): void;
  rmsNormBackward(stream: NativeStream, dOut: NativeStorage, dOutOffset: number, x: NativeStorage, xOffset: number, weight: NativeStorage, weightOffset: number, inverseRms: NativeStorage, inverseRmsOffset: number, dx: NativeStorage, dxOffset: number, dWeight: NativeStorage, dWeightOffset: number, rows: number, width: number, accumulate: boolean, accumulateWeight: boolean, type: number): void;
  rope(stream: NativeStream, x: NativeStorage, xOffset: number, positions: NativeStorage, positionsOffset: number, out: NativeStorage, outOffset: number, tokens: number, heads: number, headDim: number, theta: number, inverse: boolean, type: number): void;
  swiglu(stream: NativeStream, gate: NativeStorage, gateOffset: number, up: NativeStorage, upOffset: number, out: NativeStorage, outOffset: number, count: number, type: number): void;
  swigluBackward(stream: NativeStream, dOut: NativeStorage, dOutOffset: number, gate: NativeStorage, gateOffset: number, up: NativeStorage, upOffset: number, dGate: NativeStorage, dGateOffset: number, dUp: NativeStorage, dUpOffset: number, count: number, type: number): void;
  embedding(stream: NativeStream, ids: NativeStorage, idsOffset: number, table: NativeStorage, tableOffset: number, out: NativeStorage, outOffset: number, tokens: number, vocabulary: number, width: number, type: number): void;
  embeddingBackward(stream: NativeStream, ids: NativeStorage, idsOffset: number, dOut: NativeStorage, dOutOffset: number, dTable: NativeStorage, dTableOffset: number, tokens: number, vocabulary: number, width: number, accumulate: boolean, type: number): void;
  crossEntropy(stream: NativeStream, logits: NativeStorage, logitsOffset: number, targets: NativeStorage, targetsOffset: number, sums: NativeStorage, sumsOffset: number, logSumExp: NativeStorage, logSumExpOffset: number, rows: number, vocabulary: number, accumulate: boolean): void;
  crossEntropyBackward(stream: NativeStream, logits: NativeStorage, logitsOffset: number, targets: NativeStorage, targetsOffset: number, logSumExp: NativeStorage, logSumExpOffset: number, dLogits: NativeStorage, dLogitsOffset: number, rows: number, vocabulary: number, scale: number): void;
  add(stream: NativeStream, a: NativeStorage, aOffset: number, b: NativeStorage, bOffset: number, out: NativeStorage, outOffset: number, count: number, type: number): void;
  scale(stream: NativeStream, x: NativeStorage, xOffset: number, out: NativeStorage, outOffset: number, count: number, factor: number, factorTensor: NativeStorage | null, factorTensorOffset: number): void;
  fill(stream: NativeStream, out: NativeStorage, outOffset: number, count: number, value: number, type: number): void;
  copy(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, bytes: number): void;
  narrow(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, count: number): void;
  widen(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, count: number): void;
  sumSquares(stream: NativeStream, x: NativeStorage, xOffset: number, out: NativeStorage, outOffset: number, count: number, accumulate: boolean): void;
  clipFactor(stream: NativeStream, sumSquares: NativeStorage, sumSquaresOffset: number, out: NativeStorage, outOffset: number, norm: NativeStorage, normOffset: number, maxNorm: number): void;
  adamW(stream: NativeStream, parameter: NativeStorage, parameterOffset: number, gradient: NativeStorage, gradientOffset: number, m: NativeStorage, mOffset: number, v: NativeStorage, vOffset: number, gradientFactor: NativeStorage | null, gradientFactorOffset: number, count: number, learningRate: number, beta1: number, beta2: number, eps: number, weightDecay: number, step: number): void;

  segmentsCreate(queryOffset: Column, queryStride: Column, heads: Column, rows: Column, keyOffset: Column, keyStride: Column, keys: Column, causal: Column): NativeSegments;
  attentionForward(stream: NativeStream, q: NativeStorage, qOffset: number, k: NativeStorage, kOffset: number, v: NativeStorage, vOffset: number, out: NativeStorage, outOffset: number, logSumExp: NativeStorage, logSumExpOffset: number, segments: NativeSegments, scale: number, headDim: number, valueDim: number, type: number): void;
  attentionBackward(stream: NativeStream, q: NativeStorage, qOffset: number, k: NativeStorage, kOffset: number, v: NativeStorage, vOffset: number, dOut: NativeStorage, dOutOffset: number, logSumExp: NativeStorage, logSumExpOffset: number, delta: NativeStorage, deltaOffset: number, dq: NativeStorage, dqOffset: number, dk: NativeStorage, dkOffset: number, dv: NativeStorage, dvOffset: number, segments: NativeSegments, scale: number, headDim: number, valueDim: number, type: number): void;
  attentionDelta(stream: NativeStream, out: NativeStorage, outOffset: number, dOut: NativeStorage, dOutOffset: number, delta: NativeStorage, deltaOffset: number, vectors: number, valueDim: number, type: number): void;
  mergePartials(stream: NativeStream, partial: NativeStorage, partialOffset: number, partialLogSumExp: NativeStorage, partialLogSumExpOffset: number, out: NativeStorage, outOffset: number, logSumExp: NativeStorage, logSumExpOffset: number, vectors: number, valueDim: number): void;

  vectorRunsCreate(from: Column, to: Column, rows: Column, stride: Column): NativeVectorRuns;
  accumulateVectors(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, runs: NativeVectorRuns, vectorSize: number): void;
  vectorBlocksCreate(offset: Column, rows: Column, stride: Column, width: Column): NativeVectorBlocks;
  gatherVectors(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, blocks: NativeVectorBlocks, vectorSize: number, type: number): void;
  scatterVectors(stream: NativeStream, from: NativeStorage, fromOffset: number, to: NativeStorage, toOffset: number, blocks: NativeVectorBlocks, vectorSize: number, type: number): void;
}

/** What the addon has beside the header's functions. */
export interface AddonOnly {
  /** The class of every error that the addon throws or rejects with. */
  setErrorClass(errorClass: new (...args: never[]) => Error): void;
}
