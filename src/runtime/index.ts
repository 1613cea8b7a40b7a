/**
 * The engine of durable actors and its store in memory. The package exports it together with
 * `durable`, which may also open the store on disk.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it

export type { ActorReference } from './child/actor-ref.ts';
export { actorRef } from './child/actor-ref.ts';
export type * from './durable/durable-types.ts';
export type { EngineNotice } from './engine/core.ts';
export type { DefinitionSource, EffectsOf } from './engine/define.ts';
export { define } from './engine/define.ts';
export type { EngineOptions, OpenedEngine } from './engine/engine.ts';
export { createEngine, openEngine } from './engine/engine.ts';
export type { EngineErrorCode } from './engine/error.ts';
export { EngineError } from './engine/error.ts';
export type * from './engine/ports.ts';
export { isInState, stateName } from './engine/snapshot.ts';
export { step } from './engine/step.ts';
export type {
  ActionCall,
  LogEntry,
  NewEffect,
  NewTimer,
  StepResult,
  StepSend,
} from './engine/step-types.ts';
export { isOfKind, typeView } from './engine/typed-actors.ts';
export type * from './engine/types.ts';
export { LATER } from './engine/types.ts';
export type { Difference, Rehearsal } from './journal/rehearsal.ts';
export { journalLines } from './journal/rehearsal.ts';
export { rehearse } from './journal/rehearse.ts';
export { renameRows } from './journal/rename-rows.ts';
export type { Awaitable } from './load/awaitable.ts';
export type * from './middleware/middleware-types.ts';
export type {
  QueueReads,
  QueueWrite,
  RateRow,
  SlotRow,
  WaitingPlace,
  WaitingRow,
} from './queue/queue-ports.ts';
export type { QueueLimits, QueueOptions, Rate } from './queue/queue-types.ts';
export type * from './search/search-types.ts';
export type { MemoryStoreOptions } from './store/memory-store.ts';
export { memoryStore } from './store/memory-store.ts';
export { SimulatedClock, systemClock } from './timer/clock.ts';
export type { ScheduleReads, ScheduleRow, ScheduleWrite } from './timer/schedule-ports.ts';
export type { Schedule, Scheduled } from './timer/schedule-types.ts';
export type { EffectAttempt, EffectEnd, EngineObserver } from './view/observer.ts';
