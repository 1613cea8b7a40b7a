import { checkDeploy } from '../journal/deploy-check.ts';
import type { QueueOptions } from '../queue/queue-types.ts';
import type { EngineObserver } from '../view/observer.ts';
import { HarmlessObserver } from '../view/observer.ts';
import { Committer } from './committer.ts';
import type { Core, EngineNotice } from './core.ts';
import { EngineError } from './error.ts';
import { LiveEngine } from './live-engine.ts';
import type { EngineStore, RuntimeClock } from './ports.ts';
import { Slots } from './slots.ts';
import type { TextHash } from './state-hash.ts';
import { sha256Prefix, stateHash } from './state-hash.ts';
import type { ActorEngine, Definition } from './types.ts';

/** Outside events of one actor that may be on their way to the disk, unless set. */
export const MAILBOX_MAX = 1_024;
/** Rows between two snapshots of an actor, unless set. */
export const SNAPSHOT_EVERY = 32;
/** Milliseconds without an event after which an actor leaves the memory, unless set. */
export const PASSIVATE_AFTER_MS = 5 * 60 * 1_000;

/** What an engine is made of. */
export interface EngineOptions {
  readonly store: EngineStore;
  readonly clock: RuntimeClock;
  readonly definitions: readonly Definition[];
  /** Queues of this engine; what waits in one that is not named here waits until it is. */
  readonly queues?: readonly QueueOptions[];
  /** Told of what an operator should know; the engine goes on. */
  readonly onNotice?: (notice: EngineNotice) => void;
  /** Told once that a commit failed. The engine refuses everything then: end the process. */
  readonly onFatal?: (error: EngineError) => void;
  readonly mailboxMax?: number;
  readonly snapshotEvery?: number;
  readonly passivateAfterMs?: number;
  /** Follows the work of the engine, for figures and traces. */
  readonly observer?: EngineObserver;
  /** Hash of a journal row's state, 16 hex digits. Default: SHA-256. */
  readonly hash?: TextHash;
}

/**
 * Starts an engine: timers, effects and messages of the last process are taken up first. The store
 * stays the caller's: close it after the engine.
 *
 * @throws {EngineError} `DEFINITION_INVALID` when two definitions have the same kind, or a queue is
 * not described as it must be; `MIGRATION_MISSING` when an actor has a timer or an effect that no
 * state of its changed machine takes.
 * @example
 * const engine = await createEngine({ store: memoryStore(), clock: systemClock(), definitions });
 * await engine.create('counter', 'counter/1');
 */
export async function createEngine(options: EngineOptions): Promise<ActorEngine> {
  const { store, clock, onNotice, onFatal } = options;
  const engine: { running?: LiveEngine } = {};
  const observer = observerOf(options);
  const fail = (error: EngineError): void => {
    engine.running?.fail();
    onFatal?.(error);
  };
  const core: Core = {
    store,
    clock,
    committer: new Committer(store, fail, observer),
    definitions: byKind(options.definitions),
    hash: stateHash(options.hash ?? sha256Prefix),
    slots: new Slots(),
    limits: {
      mailboxMax: options.mailboxMax ?? MAILBOX_MAX,
      snapshotEvery: options.snapshotEvery ?? SNAPSHOT_EVERY,
      passivateAfterMs: options.passivateAfterMs ?? PASSIVATE_AFTER_MS,
    },
    observer,
    notice: (notice) => onNotice?.(notice),
  };
  const checked = checkDeploy(core);
  engine.running = new LiveEngine(core, options.queues ?? []);
  // When it is lost, the next start looks again.
  if (checked.length > 0) store.commit(checked).catch(() => undefined);
  engine.running.start();
  return engine.running;
}

function observerOf({ observer, onNotice }: EngineOptions): EngineObserver | undefined {
  if (observer === undefined) return undefined;
  const message = 'the observer of the engine failed';
  return new HarmlessObserver(observer, (cause) =>
    onNotice?.({ kind: 'listener_failed', actorId: '', message, cause }),
  );
}

function byKind(definitions: readonly Definition[]): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  for (const definition of definitions) {
    const { kind } = definition;
    if (found.has(kind)) {
      throw new EngineError('DEFINITION_INVALID', `${kind} is defined twice`, { data: { kind } });
    }
    found.set(kind, definition);
  }
  return found;
}
