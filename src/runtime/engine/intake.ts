import { stopAllChildren } from '../child/resolve-sends.ts';
import type { Recorder } from '../journal/recorder.ts';
import { detachedSnapshot } from '../journal/replay.ts';
import type { ActorCache } from './actor-cache.ts';
import type { ActorCell } from './actor-cell.ts';
import { createCell } from './actor-cell.ts';
import type { ActorState, Advance, Incoming, JournalPosition, Subject } from './actor-state.ts';
import {
  advance,
  advanceUnchanged,
  diffStates,
  markStuck,
  toAck,
  toJournalEntry,
} from './actor-state.ts';
import type { Core } from './core.ts';
import { IDEMPOTENCY_KEPT_MS } from './core.ts';
import { EngineError } from './error.ts';
import type { ParentLink, Write } from './ports.ts';
import { persist } from './snapshot.ts';
import type { Ack, DeadLetter, Definition, PersistedSnapshot } from './types.ts';

/** Options for processing an event. */
export interface ProcessOptions {
  readonly idempotencyKey?: string;
  /** Counts the event against the mailbox limit. */
  readonly outside?: boolean;
  readonly extra?: readonly Write[];
  /** Writes a snapshot with the event. */
  readonly snapshot?: boolean;
}

/** Options for creating an actor. */
export interface CreateProcessOptions extends ProcessOptions {
  /** Present for a child machine. */
  readonly parent?: ParentLink;
}

/** Options for stopping an actor. */
export interface StopOptions {
  readonly extra?: readonly Write[];
  /** The parent stopped the actor, so it expects no result. */
  readonly isStoppedByParent?: boolean;
}

/** Applies events to actors. This is the only place that creates actor states. */
export class Intake {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #recorder: Recorder;

  constructor(core: Core, cells: ActorCache, recorder: Recorder) {
    this.#core = core;
    this.#cells = cells;
    this.#recorder = recorder;
  }

  /**
   * Applies an event to a live actor immediately.
   *
   * @returns A promise that resolves when the event is on disk.
   * @throws {EngineError} `EVENT_POISON` or `ACTOR_CLOSED`, synchronously; nothing is written then.
   */
  process(cell: ActorCell, incoming: Incoming, options: ProcessOptions = {}): Promise<Ack> {
    const before = cell.live;
    const stamp = this.#nextPosition(before);
    const { hash, systems } = this.#core;
    const step = this.#advance(cell.subject, before, incoming, { stamp, hash, systems });
    this.#assertContextFits(cell.subject.id, step.state);
    const { state, entry, rows, sends, logs } = step;
    const { idempotencyKey: key, outside = false } = options;
    const extra = this.#extraWrites(cell.subject.id, state, options);
    const snapshot = options.snapshot === true || before.stuck;
    if (outside) cell.outside += 1;
    const promise = new Promise<Ack>((resolve, reject) => {
      const settle = (): void => {
        if (outside) cell.outside -= 1;
        if (key !== undefined) {
          this.#cells.loader.forget(cell.subject.id, () => cell.keys.delete(key));
        }
      };
      this.#recorder.record(
        cell,
        before,
        { moment: state, entry, rows, sends, logs, extra, snapshot },
        {
          done: (ack) => {
            settle();
            resolve(ack);
          },
          failed: (error) => {
            settle();
            reject(error);
          },
        },
      );
    });
    if (key !== undefined) cell.keys.set(key, { event: incoming.event, ack: promise });
    return promise;
  }

  /**
   * Creates an actor.
   *
   * @throws {EngineError} `EVENT_POISON`, synchronously, if its machine cannot start.
   */
  create(
    definition: Definition,
    id: string,
    incoming: Incoming,
    taking: CreateProcessOptions = {},
  ): Promise<Ack> {
    const { version } = definition;
    const { parent } = taking;
    const stamp = this.#nextPosition();
    const base = { id, definition, version, createdAt: stamp.at };
    const subject: Subject = parent === undefined ? base : { ...base, parent };
    const { hash, systems } = this.#core;
    const initial = this.#advance(subject, undefined, incoming, { stamp, hash, systems });
    this.#assertContextFits(id, initial.state);
    return this.insertActor(
      subject,
      initial.state,
      { ...initial, extra: taking.extra ?? [] },
      taking,
    );
  }

  /**
   * Starts a child machine again under the id of an earlier one that has ended. Its rows follow
   * those of the earlier one, so tokens never repeat.
   *
   * @throws {EngineError} `EVENT_POISON`, synchronously, if its machine cannot start.
   */
  restart(
    old: ActorCell,
    { definition, parent }: { readonly definition: Definition; readonly parent: ParentLink },
    incoming: Incoming,
    extra: readonly Write[],
  ): Promise<Ack> {
    const { id, createdAt } = old.subject;
    const { live: before, snapshotSeq, committed, indexRow } = old;
    const subject: Subject = { id, definition, version: definition.version, createdAt, parent };
    const { hash, systems } = this.#core;
    const context = { stamp: this.#nextPosition(before), hash, systems, afterSeq: before.seq };
    const { state, entry, rows, sends, logs } = this.#advance(
      subject,
      undefined,
      incoming,
      context,
    );
    this.#assertContextFits(id, state);
    const facts = { committed, snapshotSeq, indexRow, usedAt: state.at };
    const cell = createCell(subject, before, facts);
    this.#cells.replace(cell);
    const change = {
      moment: state,
      entry,
      rows,
      sends,
      logs,
      extra: [...extra, ...this.#extraWrites(id, state, {})],
      snapshot: true,
    };
    return new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
  }

  /** Inserts an actor whose first state is already known. */
  insertActor(
    subject: Subject,
    moment: ActorState,
    change: Omit<Parameters<Recorder['record']>[2], 'moment' | 'snapshot'>,
    taking: ProcessOptions = {},
  ): Promise<Ack> {
    const cell = createCell(subject, moment, {
      committed: undefined,
      snapshotSeq: 0,
      indexRow: undefined,
      usedAt: moment.at,
    });
    this.#cells.add(cell);
    const extra = this.#extraWrites(subject.id, moment, { ...taking, extra: change.extra ?? [] });
    const created = new Promise<Ack>((resolve, reject) => {
      this.#recorder.record(
        cell,
        undefined,
        { ...change, moment, extra, snapshot: true },
        {
          done: (ack) => {
            cell.created = undefined;
            resolve(ack);
          },
          failed: reject,
        },
      );
    });
    cell.created = created;
    cell.ready = created;
    return created;
  }

  /**
   * Stops an actor and its children. Its machine is not consulted, so this works without one.
   *
   * @throws {EngineError} `ACTOR_CLOSED`, synchronously.
   */
  stop(cell: ActorCell, options: StopOptions = {}): Promise<Ack> {
    const event = { type: 'xstate.stop' };
    const incoming: Incoming = { event, cause: { by: 'engine', why: 'stop' } };
    return this.#end(cell, incoming, { ...options, ended: { status: 'stopped' } });
  }

  /** Ends a child that cannot process an event; its parent gets the error. */
  failChild(
    cell: ActorCell,
    incoming: Incoming,
    error: unknown,
    extra: readonly Write[],
  ): Promise<Ack> {
    const { message, code } = error as EngineError;
    const failure = Object.freeze({ name: 'EngineError', code, message });
    return this.#end(cell, incoming, { extra, ended: { status: 'error', error: failure } });
  }

  #end(
    cell: ActorCell,
    incoming: Incoming,
    options: StopOptions & { readonly ended: Pick<PersistedSnapshot, 'status' | 'error'> },
  ): Promise<Ack> {
    const before = cell.live;
    const { status } = before.snapshot;
    if (status !== 'active')
      throw new EngineError('ACTOR_CLOSED', `The actor has ended (${status}).`);
    const stamp = this.#nextPosition(before);
    const snapshot = detachedSnapshot({ ...persist(before.snapshot), ...options.ended });
    const moment: ActorState = {
      ...advanceUnchanged(before, stamp),
      snapshot,
      stuck: false,
      ...this.#core.hash(snapshot, before.hashParts),
      timers: new Map(),
      effects: new Map(),
    };
    const entry = toJournalEntry(cell.subject, moment, incoming, { stamp, entry: 'event' });
    const rows = diffStates(cell.subject.id, before, moment);
    const change = {
      moment,
      entry,
      rows,
      sends: stopAllChildren(cell.subject, before),
      extra: this.#extraWrites(cell.subject.id, moment, { extra: options.extra ?? [] }),
      isStoppedByParent: options.isStoppedByParent ?? false,
    };
    return new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
  }

  /** Journals an event that arrived too late, without changing the state. */
  recordStale(cell: ActorCell, incoming: Incoming, extra: readonly Write[] = []): Promise<Ack> {
    return this.#recordUnchanged(cell, incoming, { entry: 'stale', extra });
  }

  /**
   * Journals an event that the actor cannot process and stores it as a dead letter. The state does
   * not change.
   *
   * @param how - `stick` blocks the actor until the dead letter is retried.
   */
  async recordPoison(
    cell: ActorCell,
    incoming: Incoming,
    error: unknown,
    how: { readonly stick: boolean; readonly extra?: readonly Write[] },
  ): Promise<DeadLetter> {
    const mark = String(this.#core.committer.globalSeq + 1);
    const deadLetter = this.#createDeadLetter(cell.subject.id, incoming, error, mark);
    const extra: Write[] = [{ put: 'dead', row: deadLetter }, ...(how.extra ?? [])];
    await this.#recordUnchanged(cell, incoming, { entry: 'poison', extra, stick: how.stick });
    return deadLetter;
  }

  /** Stores an event without a recipient as a dead letter. */
  storeDeadLetter(
    incoming: Incoming & { readonly to: string; readonly mark: string },
    error: unknown,
    extra: readonly Write[],
  ): Promise<DeadLetter> {
    const dead = this.#createDeadLetter(incoming.to, incoming, error, incoming.mark);
    return new Promise((resolve, reject) => {
      this.#core.committer.submit([{ put: 'dead', row: dead }, ...extra], {
        done: () => resolve(dead),
        failed: reject,
      });
    });
  }

  #recordUnchanged(
    cell: ActorCell,
    incoming: Incoming,
    how: { entry: 'stale' | 'poison'; extra: readonly Write[]; stick?: boolean },
  ): Promise<Ack> {
    const before = cell.live;
    const stamp = this.#nextPosition(before);
    const stuck = how.stick === true;
    const moment = stuck ? markStuck(before, incoming, stamp) : advanceUnchanged(before, stamp);
    const entry = toJournalEntry(cell.subject, moment, incoming, { stamp, entry: how.entry });
    const rows = diffStates(cell.subject.id, before, moment);
    const change = { moment, entry, rows, sends: [], extra: how.extra, snapshot: stuck };
    return new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
  }

  #extraWrites(id: string, state: ActorState, taking: ProcessOptions): readonly Write[] {
    const { idempotencyKey: key, extra: given = [] } = taking;
    const hasEnded = state.snapshot.status !== 'active';
    const extra = hasEnded ? [...given, ...this.#core.slots.free(id)] : given;
    if (key === undefined) return extra;
    const row = { ack: toAck(state), expires: state.at + IDEMPOTENCY_KEPT_MS };
    return [...extra, { put: 'idempotency', id, key, row }];
  }

  #advance(...[subject, before, incoming, context]: Parameters<typeof advance>): Advance {
    const { message } = this.#core.use;
    if (message === undefined) return advance(subject, before, incoming, context);
    const { id: actorId, definition } = subject;
    const { event, cause, trace } = incoming;
    const info = { actorId, kind: definition.kind, event, cause, trace };
    return message(() => advance(subject, before, incoming, context), info);
  }

  #assertContextFits(id: string, { hashParts: { chars } }: ActorState): void {
    const { contextCharsMax } = this.#core.limits;
    if (chars <= contextCharsMax) return;
    const allowed = `at most ${contextCharsMax}`;
    const message = `The context of ${id} would have ${chars} characters; ${allowed}.`;
    throw new EngineError('EVENT_POISON', message, { data: { id, chars, contextCharsMax } });
  }

  #createDeadLetter(actorId: string, incoming: Incoming, error: unknown, mark: string): DeadLetter {
    const { event, cause } = incoming;
    const at = this.#core.clock.now();
    const reason = error instanceof Error ? error.message : String(error);
    return {
      deadLetterId: `${String(at).padStart(15, '0')}-${mark}`,
      actorId,
      at,
      event,
      cause,
      reason,
    };
  }

  /** The times of a journal never run backwards, even if the clock does. */
  #nextPosition(before?: ActorState): JournalPosition {
    const now = this.#core.clock.now();
    const globalSeq = this.#core.committer.globalSeq + 1;
    return before === undefined || now >= before.at
      ? { at: now, globalSeq }
      : { at: before.at, now, globalSeq };
  }
}
