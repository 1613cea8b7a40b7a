import type { Composed } from '../middleware/compose.ts';
import type { SystemTable } from '../system/system-table.ts';
import type { StateHash } from '../value/state-hash.ts';
import type { EngineObserver } from '../view/observer.ts';
import type { Committer } from './committer.ts';
import type { EngineStore, RuntimeClock } from './ports.ts';
import type { Slots } from './slots.ts';
import type { Definition } from './types.ts';

/** A problem that an operator should know about. The engine keeps running. */
export interface EngineNotice {
  readonly kind:
    | 'action_failed'
    | 'actor_stuck'
    | 'actor_unloadable'
    | 'compact_failed'
    | 'dead_letter'
    | 'effect_crashed'
    | 'effect_rule_failed'
    | 'listener_failed'
    | 'machine_changed'
    | 'row_damaged'
    | 'schedule_delayed'
    | 'search_failed'
    | 'trim_failed';
  /** Empty if the notice is not about an actor. */
  readonly actorId: string;
  readonly message: string;
  readonly deadLetterId?: string;
  readonly cause?: unknown;
}

/** State and services shared by the parts of one engine. */
export interface Core {
  readonly store: EngineStore;
  readonly clock: RuntimeClock;
  readonly committer: Committer;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly hash: StateHash;
  readonly slots: Slots;
  readonly use: Composed;
  readonly systems: SystemTable;
  readonly limits: EngineLimits;
  readonly observer: EngineObserver | undefined;
  notice(notice: EngineNotice): void;
  log(log: EngineLog): void;
}

/** What a machine logged with XState's `log`. */
export interface EngineLog {
  readonly actorId: string;
  readonly label: string | undefined;
  readonly value: unknown;
}

/** Limits of one engine. */
export interface EngineLimits {
  /** Maximum outside events per actor that are not on disk yet. */
  readonly mailboxMax: number;
  /** Maximum characters of all texts and names in an event, an input or a result. */
  readonly eventCharsMax: number;
  /** Maximum characters of a context as JSON. */
  readonly contextCharsMax: number;
  /** Whether a start is refused if the program cannot read or continue an actor. */
  readonly refusesStranded: boolean;
  /** Journal rows between two snapshots of an actor. */
  readonly snapshotEvery: number;
  /** Milliseconds without an event after which an actor is evicted from memory. */
  readonly passivateAfterMs: number;
}

/** How long the acknowledgement of an idempotency key is kept, in milliseconds. */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1_000;
/** Maximum retries of a poison internal event before its actor is stuck. */
export const POISON_RETRIES = 3;

/** Returns the delay before the next retry of a poison internal event, in milliseconds. */
export function poisonBackoffMs(tries: number): number {
  return 100 * 4 ** tries;
}
