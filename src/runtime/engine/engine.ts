import { printLog } from '../action/print-log.ts';
import { checkDeploy } from '../journal/deploy-check.ts';
import type { Awaitable } from '../load/awaitable.ts';
import { chain, isPromise } from '../load/awaitable.ts';
import { composeMiddleware, wrapCommits } from '../middleware/compose.ts';
import type { Middleware } from '../middleware/middleware-types.ts';
import type { QueueOptions } from '../queue/queue-types.ts';
import { SystemTable } from '../system/system-table.ts';
import type { TextHash } from '../value/state-hash.ts';
import { createStateHash, sha256Prefix } from '../value/state-hash.ts';
import type { EngineObserver } from '../view/observer.ts';
import { SafeObserver } from '../view/observer.ts';
import { Committer } from './committer.ts';
import type { Core, EngineLog, EngineNotice } from './core.ts';
import { EngineError } from './error.ts';
import { LiveEngine } from './live-engine.ts';
import type { EngineStore, RuntimeClock } from './ports.ts';
import { Slots } from './slots.ts';
import type { ActorEngine, Definition } from './types.ts';

/** Default maximum of outside events per actor that are not on disk yet. */
export const MAILBOX_MAX = 1_024;
/** Default maximum of characters in an event, an input or a result. */
export const EVENT_CHARS_MAX = 8 * 1_024 * 1_024;
/** Default maximum of characters in a context. */
export const CONTEXT_CHARS_MAX = 64 * 1_024 * 1_024;
/** Default number of journal rows between two snapshots of an actor. */
export const SNAPSHOT_EVERY = 32;
/** Default idle time after which an actor is evicted from memory, in milliseconds. */
export const PASSIVATE_AFTER_MS = 5 * 60 * 1_000;

/** Options of `createEngine`. */
export interface EngineOptions {
  readonly store: EngineStore;
  readonly clock: RuntimeClock;
  readonly definitions: readonly Definition[];
  /** Queues of this engine. Actors waiting in a queue not listed here wait until it is. */
  readonly queues?: readonly QueueOptions[];
  /** Called with problems that an operator should know about. The engine keeps running. */
  readonly onNotice?: (notice: EngineNotice) => void;
  /**
   * Called with what machines log with XState's `log`, once the step is on disk; a crash in between
   * loses it. Default: a line on standard
   * error.
   */
  readonly onLog?: (log: EngineLog) => void;
  /** Called once when a commit fails. The engine then rejects every call: exit the process. */
  readonly onFatal?: (error: EngineError) => void;
  readonly mailboxMax?: number;
  /**
   * Maximum characters of all texts and member names in one event, input or result. Larger ones are
   * rejected with `EVENT_INVALID`; the effect fails with `EFFECT_OUTPUT_INVALID`. Default 8 Mi.
   */
  readonly eventCharsMax?: number;
  /**
   * Maximum characters of an actor's context as JSON. An event that leads to a larger one is
   * rejected with `EVENT_POISON`. Default 64 Mi.
   */
  readonly contextCharsMax?: number;
  /**
   * What happens if the program cannot read or continue an actor of an earlier version: `refuse`
   * rejects the start, `report` starts and rejects the calls for such actors, except `stop` and
   * `purge`. Default `refuse`.
   */
  readonly strandedActors?: 'refuse' | 'report';
  readonly snapshotEvery?: number;
  readonly passivateAfterMs?: number;
  /** Code around each commit, effect and event. */
  readonly use?: readonly Middleware[];
  /** Observes the engine for metrics and traces. */
  readonly observer?: EngineObserver;
  /** Hash of a journal row's state, 16 hex digits. Default: SHA-256. */
  readonly hash?: TextHash;
}

/** An engine that has not resumed yet. */
export interface OpenedEngine {
  readonly engine: ActorEngine;
  /**
   * Adds kinds of actors. On a store that answers later, `start` reports what this finds in it.
   *
   * @throws {EngineError} `DEFINITION_INVALID` if a kind is defined already; `MIGRATION_MISSING` if
   *   an actor has a timer or an effect that no state of its changed machine handles.
   */
  define(...definitions: readonly Definition[]): void;
  /**
   * Resumes the timers, effects and messages that the last process left. Call it once all kinds are
   * defined: messages to actors of other kinds become dead letters.
   *
   * @returns A promise only if the store answers later; calls made before it resolves wait.
   * @throws {EngineError} What `openEngine` and `define` throw on a store that answers at once.
   */
  start(): Awaitable<void>;
}

/** An engine to which a subject adds its kinds before it opens. */
export type EngineSetup = Pick<OpenedEngine, 'engine' | 'define'>;

/**
 * Creates and starts an engine. It first resumes the timers, effects and messages that the last
 * process left. The caller owns the store: close it after the engine.
 *
 * @throws {EngineError} `DEFINITION_INVALID` if two definitions have the same kind or a queue is
 * invalid; `MIGRATION_MISSING` if an actor has a timer or an effect that no state of its changed
 * machine handles, or a version that no migration leads on; `REPLAY_VERSION_GONE` if its state is
 * gone.
 * @example
 * const engine = await createEngine({ store: memoryStore(), clock: systemClock(), definitions });
 * await engine.create('counter', 'counter/1');
 */
export async function createEngine(options: EngineOptions): Promise<ActorEngine> {
  const { engine, start } = openEngine(options);
  const started = start();
  if (isPromise(started)) await started;
  return engine;
}

/**
 * Opens an engine that takes calls, but resumes nothing before `start`. Use it if effects need the
 * engine, or if kinds are defined one after the other. On a store that answers later, calls wait
 * until it is open, and `start` reports the errors.
 *
 * @throws {EngineError} As `createEngine`.
 * @example
 * const { engine, define, start } = openEngine({ store, clock, definitions: [] });
 * define(defineOrder({ engine }));
 * await start();
 */
export function openEngine(options: EngineOptions): OpenedEngine {
  const { store, clock, onNotice, onFatal } = options;
  const opened: { engine?: LiveEngine } = {};
  const observer = wrapObserver(options);
  const fail = (error: EngineError): void => {
    opened.engine?.fail();
    onFatal?.(error);
  };
  const definitions = new Map<string, Definition>();
  const use = composeMiddleware(options.use ?? []);
  const core: Core = {
    store,
    clock,
    committer: new Committer(wrapCommits(store, use.commit), fail, observer),
    use,
    definitions,
    hash: createStateHash(options.hash ?? sha256Prefix),
    slots: new Slots(),
    systems: new SystemTable(),
    limits: {
      mailboxMax: options.mailboxMax ?? MAILBOX_MAX,
      eventCharsMax: options.eventCharsMax ?? EVENT_CHARS_MAX,
      contextCharsMax: options.contextCharsMax ?? CONTEXT_CHARS_MAX,
      refusesStranded: options.strandedActors !== 'report',
      snapshotEvery: options.snapshotEvery ?? SNAPSHOT_EVERY,
      passivateAfterMs: options.passivateAfterMs ?? PASSIVATE_AFTER_MS,
    },
    observer,
    notice: (notice) => onNotice?.(notice),
    log: options.onLog ?? printLog,
  };
  store.watchDamage?.((cause) => {
    const { actor } = cause.data;
    const actorId = typeof actor === 'string' ? actor : '';
    core.notice({ kind: 'row_damaged', actorId, message: cause.message, cause });
  });
  const define = (...added: readonly Definition[]): void => {
    const known = new Set(definitions.keys());
    for (const definition of added) addKind(definitions, definition);
    const isNew = ({ kind }: Definition) => !known.has(kind);
    const checked = chain(
      checkDeploy(core, [...definitions.values()].filter(isNew)),
      (checkWrites) => {
        // If this write is lost, the next start repeats the check.
        if (checkWrites.length > 0) store.commit(checkWrites).catch(() => undefined);
      },
    );
    engine.openAfter(checked);
  };
  const engine = new LiveEngine(core, options.queues ?? []);
  opened.engine = engine;
  define(...options.definitions);
  engine.open();
  return { engine, define, start: () => engine.start() };
}

function wrapObserver({ observer, onNotice }: EngineOptions): EngineObserver | undefined {
  if (observer === undefined) return undefined;
  const message = 'The observer of the engine failed.';
  return new SafeObserver(observer, (cause) =>
    onNotice?.({ kind: 'listener_failed', actorId: '', message, cause }),
  );
}

/** Adds a kind, and the kinds of its children; one child may belong to several parents. */
function addKind(definitions: Map<string, Definition>, definition: Definition): void {
  const { kind, children, earlier = [] } = definition;
  for (const child of Object.values(children)) {
    if (definitions.get(child.kind) !== child) addKind(definitions, child);
  }
  for (const child of earlier.flatMap((each) => Object.values(each.children))) {
    if (!definitions.has(child.kind)) addKind(definitions, child);
  }
  if (definitions.has(kind)) {
    throw new EngineError('DEFINITION_INVALID', `The kind ${kind} is defined twice.`, {
      data: { kind },
    });
  }
  definitions.set(kind, definition);
}
