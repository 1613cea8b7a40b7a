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
export type { Explained, ForkOptions, ListChange, RetryOptions } from './look-types.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
export { memoryStore } from './memory-store.ts';
export type { EffectAttempt, EffectEnd, EngineObserver } from './observer.ts';
export type * from './ports.ts';
export type {
  QueueReads,
  QueueWrite,
  RateRow,
  SlotRow,
  WaitingPlace,
  WaitingRow,
} from './queue-ports.ts';
export type {
  Enqueued,
  EnqueueOptions,
  QueuedRow,
  QueueLimits,
  QueueOptions,
  Rate,
} from './queue-types.ts';
export type { Difference, Rehearsal } from './rehearsal.ts';
export { journalLines } from './rehearsal.ts';
export { rehearse } from './rehearse.ts';
export { renameRows } from './rename-rows.ts';
export type { ScheduleReads, ScheduleRow, ScheduleWrite } from './schedule-ports.ts';
export type { Schedule, Scheduled } from './schedule-types.ts';
export { isInState, stateName } from './snapshot.ts';
export type { NewEffect, NewTimer, Send, StepResult } from './step.ts';
export { step } from './step.ts';
export type * from './types.ts';
export { LATER } from './types.ts';
