/**
 * Durable actors from XState machines, as a library. `xstate` is a peer dependency; importing has
 * no side effect. A store on disk is `stoa/runtime/lmdb`.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
export { SimulatedClock, systemClock } from './clock.ts';
export type { EngineNotice } from './core.ts';
export type { DefinitionSource, EffectsOf } from './define.ts';
export { define } from './define.ts';
export type { EngineOptions } from './engine.ts';
export { createEngine } from './engine.ts';
export type { EngineErrorCode } from './error.ts';
export { EngineError } from './error.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
export { memoryStore } from './memory-store.ts';
export type * from './ports.ts';
export { isInState, stateName } from './snapshot.ts';
export type { NewEffect, NewTimer, Send, StepResult } from './step.ts';
export { step } from './step.ts';
export type * from './types.ts';
export { LATER } from './types.ts';
