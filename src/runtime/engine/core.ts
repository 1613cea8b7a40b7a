import type { EngineObserver } from '../view/observer.ts';
import type { Committer } from './committer.ts';
import type { EngineStore, RuntimeClock } from './ports.ts';
import type { Slots } from './slots.ts';
import type { StateHash } from './state-hash.ts';
import type { Definition } from './types.ts';

/** Something an operator should know. The engine goes on. */
export interface EngineNotice {
  readonly kind:
    | 'actor_stuck'
    | 'actor_unloadable'
    | 'compact_failed'
    | 'dead_letter'
    | 'effect_crashed'
    | 'effect_rule_failed'
    | 'listener_failed'
    | 'schedule_delayed'
    | 'trim_failed';
  /** Empty when it is about none. */
  readonly actorId: string;
  readonly message: string;
  readonly deadLetterId?: string;
  readonly cause?: unknown;
}

/** What the parts of one engine share. */
export interface Core {
  readonly store: EngineStore;
  readonly clock: RuntimeClock;
  readonly committer: Committer;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly hash: StateHash;
  readonly slots: Slots;
  readonly limits: EngineLimits;
  readonly observer: EngineObserver | undefined;
  notice(notice: EngineNotice): void;
}

/** Bounds of one engine. */
export interface EngineLimits {
  /** Outside events of one actor that may be on their way to the disk. */
  readonly mailboxMax: number;
  /** Rows between two snapshots of an actor. */
  readonly snapshotEvery: number;
  /** Milliseconds without an event after which an actor leaves the memory. */
  readonly passivateAfterMs: number;
}

/** How long the answer to an idempotency key is kept, in milliseconds. */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1_000;
/** How often an internal event that poisons is tried again before its actor is stuck. */
export const POISON_RETRIES = 3;

/** Milliseconds before the next try of an internal event that poisoned. */
export function poisonBackoffMs(tries: number): number {
  return 100 * 4 ** tries;
}
