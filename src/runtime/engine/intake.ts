import type { Recorder } from '../journal/recorder.ts';
import { endedSnapshot } from '../journal/replay.ts';
import type { Cell } from './cell.ts';
import { newCell } from './cell.ts';
import type { Cells } from './cells.ts';
import type { Core } from './core.ts';
import { IDEMPOTENCY_KEPT_MS } from './core.ts';
import { EngineError } from './error.ts';
import type { Incoming, Moment, Stamp, Subject } from './moment.ts';
import { ackOf, advance, journalEntry, rowsBetween, standStill, stickAt } from './moment.ts';
import type { Write } from './ports.ts';
import { persist } from './snapshot.ts';
import type { Ack, DeadLetter, Definition } from './types.ts';

/** Options for processing an event. */
export interface Taking {
  readonly idempotencyKey?: string;
  /** Counts the event against the mailbox limit. */
  readonly outside?: boolean;
  readonly extra?: readonly Write[];
  /** Writes a snapshot with the event. */
  readonly snapshot?: boolean;
}

/** Applies events to actors. This is the only place that creates actor states. */
export class Intake {
  readonly #core: Core;
  readonly #cells: Cells;
  readonly #recorder: Recorder;

  constructor(core: Core, cells: Cells, recorder: Recorder) {
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
  take(cell: Cell, incoming: Incoming, taking: Taking = {}): Promise<Ack> {
    const before = cell.live;
    const stamp = this.#stamp();
    const { hash } = this.#core;
    const { moment, entry, rows, sends } = advance(cell.subject, before, incoming, { stamp, hash });
    const { idempotencyKey: key, outside = false } = taking;
    const extra = this.#extra(cell.subject.id, moment, taking);
    const snapshot = taking.snapshot === true || before.stuck;
    if (outside) cell.outside += 1;
    const promise = new Promise<Ack>((resolve, reject) => {
      const over = (): void => {
        if (outside) cell.outside -= 1;
        if (key !== undefined) cell.keys.delete(key);
      };
      this.#recorder.record(
        cell,
        before,
        { moment, entry, rows, sends, extra, snapshot },
        {
          done: (ack) => {
            over();
            resolve(ack);
          },
          failed: (error) => {
            over();
            reject(error);
          },
        },
      );
    });
    if (key !== undefined) cell.keys.set(key, promise);
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
    taking: Taking = {},
  ): Promise<Ack> {
    const { version } = definition;
    const stamp = this.#stamp();
    const subject: Subject = { id, definition, version, createdAt: stamp.at };
    const { hash } = this.#core;
    const first = advance(subject, undefined, incoming, { stamp, hash });
    return this.plant(subject, first.moment, { ...first, extra: taking.extra ?? [] }, taking);
  }

  /** Inserts an actor whose first state is already known. */
  plant(
    subject: Subject,
    moment: Moment,
    change: Omit<Parameters<Recorder['record']>[2], 'moment' | 'snapshot'>,
    taking: Taking = {},
  ): Promise<Ack> {
    const cell = newCell(subject, moment, {
      committed: undefined,
      snapshotSeq: 0,
      listed: undefined,
      usedAt: moment.at,
    });
    this.#cells.add(cell);
    const extra = this.#extra(subject.id, moment, { ...taking, extra: change.extra ?? [] });
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
   * Stops an actor. Its machine is not consulted, so this works without one.
   *
   * @throws {EngineError} `ACTOR_CLOSED`, synchronously.
   */
  stop(cell: Cell): Promise<Ack> {
    const before = cell.live;
    const { status } = before.snapshot;
    if (status !== 'active')
      throw new EngineError('ACTOR_CLOSED', `The actor has ended (${status}).`);
    const stamp = this.#stamp();
    const snapshot = endedSnapshot({ ...persist(before.snapshot), status: 'stopped' });
    const moment: Moment = {
      ...standStill(before, stamp),
      snapshot,
      stuck: false,
      hash: this.#core.hash(snapshot, before.snapshot),
      timers: new Map(),
      effects: new Map(),
    };
    const event = { type: 'xstate.stop' };
    const incoming: Incoming = { event, cause: { by: 'engine', why: 'stop' } };
    const entry = journalEntry(cell.subject, moment, incoming, { stamp, entry: 'event' });
    const rows = rowsBetween(cell.subject.id, before, moment);
    const change = {
      moment,
      entry,
      rows,
      sends: [],
      extra: this.#extra(cell.subject.id, moment, {}),
    };
    return new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
  }

  /** Journals an event that arrived too late, without changing the state. */
  stale(cell: Cell, incoming: Incoming, extra: readonly Write[] = []): Promise<Ack> {
    return this.#stand(cell, incoming, { entry: 'stale', extra });
  }

  /**
   * Journals an event that the actor cannot process and stores it as a dead letter. The state does
   * not change.
   *
   * @param how - `stick` blocks the actor until the dead letter is retried.
   */
  async poison(
    cell: Cell,
    incoming: Incoming,
    error: unknown,
    how: { readonly stick: boolean; readonly extra?: readonly Write[] },
  ): Promise<DeadLetter> {
    const mark = String(this.#core.committer.globalSeq + 1);
    const dead = this.#letter(cell.subject.id, incoming, error, mark);
    const extra: Write[] = [{ put: 'dead', row: dead }, ...(how.extra ?? [])];
    await this.#stand(cell, incoming, { entry: 'poison', extra, stick: how.stick });
    return dead;
  }

  /** Stores an event without a recipient as a dead letter. */
  undeliverable(
    incoming: Incoming & { readonly to: string; readonly mark: string },
    error: unknown,
    extra: readonly Write[],
  ): Promise<DeadLetter> {
    const dead = this.#letter(incoming.to, incoming, error, incoming.mark);
    return new Promise((resolve, reject) => {
      this.#core.committer.submit([{ put: 'dead', row: dead }, ...extra], {
        done: () => resolve(dead),
        failed: reject,
      });
    });
  }

  #stand(
    cell: Cell,
    incoming: Incoming,
    how: { entry: 'stale' | 'poison'; extra: readonly Write[]; stick?: boolean },
  ): Promise<Ack> {
    const before = cell.live;
    const stamp = this.#stamp();
    const stuck = how.stick === true;
    const moment = stuck ? stickAt(before, incoming, stamp) : standStill(before, stamp);
    const entry = journalEntry(cell.subject, moment, incoming, { stamp, entry: how.entry });
    const rows = rowsBetween(cell.subject.id, before, moment);
    const change = { moment, entry, rows, sends: [], extra: how.extra, snapshot: stuck };
    return new Promise((resolve, reject) => {
      this.#recorder.record(cell, before, change, { done: resolve, failed: reject });
    });
  }

  #extra(id: string, moment: Moment, taking: Taking): readonly Write[] {
    const { idempotencyKey: key, extra: given = [] } = taking;
    const hasEnded = moment.snapshot.status !== 'active';
    const extra = hasEnded ? [...given, ...this.#core.slots.free(id)] : given;
    if (key === undefined) return extra;
    const row = { ack: ackOf(moment), expires: moment.at + IDEMPOTENCY_KEPT_MS };
    return [...extra, { put: 'idempotency', id, key, row }];
  }

  #letter(actorId: string, incoming: Incoming, error: unknown, mark: string): DeadLetter {
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

  #stamp(): Stamp {
    return { at: this.#core.clock.now(), globalSeq: this.#core.committer.globalSeq + 1 };
  }
}
