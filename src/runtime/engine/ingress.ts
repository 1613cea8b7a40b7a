import { isDeepStrictEqual } from 'node:util';
import type { Awaitable } from '../load/awaitable.ts';
import { chain } from '../load/awaitable.ts';
import { toBounded } from '../value/plain.ts';
import type { ActorCache } from './actor-cache.ts';
import type { ActorCell } from './actor-cell.ts';
import { isEvictable } from './actor-cell.ts';
import type { Incoming } from './actor-state.ts';
import { toAck, toListRow } from './actor-state.ts';
import type { Core } from './core.ts';
import { EngineError } from './error.ts';
import type { Intake } from './intake.ts';
import { isName, NAME_CHARS_MAX } from './name.ts';
import type { IdempotencyRow } from './ports.ts';
import type {
  Ack,
  CreateOptions,
  Definition,
  Ev,
  JournalEntry,
  ListRow,
  TellOptions,
} from './types.ts';

/** Origin of an event: an outside caller, who can be rejected, or an effect, which cannot. */
export type EventOrigin = 'outside' | 'reserved';

/** Accepts outside requests: validates them and rejects invalid ones with an error code. */
export class Ingress {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #purges = new Map<string, Promise<void>>();
  /** Called when the rows of an actor are removed. */
  onPurged: (row: ListRow) => void = () => undefined;

  constructor(core: Core, cells: ActorCache, intake: Intake) {
    this.#core = core;
    this.#cells = cells;
    this.#intake = intake;
  }

  create(kind: string, id: string, input: unknown, o: CreateOptions): Promise<Ack> {
    const definition = this.#findDefinition(kind);
    checkId(id, 'actor id');
    const getInput = copyInput(input, this.#core.limits.eventCharsMax);
    const given = { ...o };
    return this.#cells.prepare({ ids: [id] }, () => {
      const known = this.#cells.find(id);
      if (known !== undefined) return this.#firstAck(known, kind);
      const event: Ev = Object.freeze({ type: 'xstate.init', input: getInput() });
      this.#checkDiskSpace();
      const { idempotencyKey } = given;
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const cause = { by: 'create', ...getAuthor(given) } as const;
      return this.#intake.create(definition, id, { event, cause, ...getTrace(given) }, options);
    });
  }

  tell(
    id: string,
    received: Ev,
    o: TellOptions = {},
    origin: EventOrigin = 'outside',
  ): Promise<Ack> {
    const event = validateEvent(received, this.#core.limits.eventCharsMax);
    const { idempotencyKey: key } = o;
    if (key === undefined && this.#cells.isReady(id)) return this.#accept({ id, event, o, origin });
    if (origin === 'outside') this.#checkMailbox(id, this.#cells.loader.waiting(id));
    const given = { id, event, o: { ...o }, origin };
    const ids = [id];
    const need = key === undefined ? { ids } : { ids, read: () => this.#readFirstAnswer(id, key) };
    return this.#cells.prepare(need, (first) => this.#accept(given, first));
  }

  #accept({ id, event, o, origin }: GivenEvent, first?: FirstAnswer): Promise<Ack> {
    const { idempotencyKey: key, expectSeq } = o;
    const cell = this.#cells.get(id);
    if (key !== undefined) {
      const answer = this.#answered(cell, key, event, first);
      if (answer !== undefined) return answer;
    }
    assertAcceptsEvents(cell);
    if (origin === 'outside') {
      this.#checkDiskSpace();
      this.#checkMailbox(id, cell.outside);
    }
    if (expectSeq !== undefined && expectSeq !== cell.live.seq) {
      const data = { id, expected: expectSeq, seq: cell.live.seq };
      const message = `${id} is at row ${cell.live.seq}, not ${expectSeq}.`;
      throw new EngineError('SEQ_CONFLICT', message, { data });
    }
    const cause =
      key === undefined
        ? ({ by: 'outside', ...getAuthor(o) } as const)
        : ({ by: 'outside', idempotencyKey: key, ...getAuthor(o) } as const);
    return this.#process(cell, { event, cause, ...getTrace(o) }, origin);
  }

  /** Returns the pending purge of an actor, if there is one. */
  pendingPurge(id: string): Promise<void> | undefined {
    return this.#purges.get(id);
  }

  /** Returns the first acknowledgement of an existing actor, which must be of that kind. */
  findAck(id: string, kind: string): Promise<Ack> | undefined {
    const known = this.#cells.find(id);
    return known === undefined ? undefined : this.#firstAck(known, kind);
  }

  /** Removes an actor. Runs in a section that was prepared for it. */
  purge(id: string): Promise<void> {
    const known = this.#purges.get(id);
    if (known !== undefined && this.#cells.peek(id) === undefined) return known;
    const cell = this.assertEnded(id);
    const row = toListRow(cell.subject, cell.live);
    const onRemoved = this.#cells.hide(id);
    const purge = new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        onRemoved();
        this.#purges.delete(id);
      };
      this.#core.committer.submit([{ purge: 'actor', row }], {
        done: () => {
          this.#cells.loader.forget(id, settle);
          this.onPurged(row);
          resolve();
        },
        failed: reject,
      });
    });
    this.#purges.set(id, purge);
    return purge;
  }

  /**
   * Returns an actor that has ended, also on disk.
   *
   * @throws {EngineError} `ACTOR_ACTIVE`, and the errors of `ActorCache.getForRemoval`.
   */
  assertEnded(id: string): ActorCell {
    const cell = this.#cells.getForRemoval(id);
    const { status } = cell.live.snapshot;
    if (status !== 'active' && isEvictable(cell)) return cell;
    throw new EngineError('ACTOR_ACTIVE', `The actor ${id} has not ended.`, {
      data: { id, status },
    });
  }

  #process(cell: ActorCell, incoming: Incoming, speaker: EventOrigin): Promise<Ack> {
    const { cause } = incoming;
    const key = cause.by === 'outside' ? cause.idempotencyKey : undefined;
    try {
      return this.#intake.process(cell, incoming, {
        outside: speaker === 'outside',
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
    } catch (error) {
      return this.#rejectPoison(cell, incoming, error);
    }
  }

  async #rejectPoison(cell: ActorCell, incoming: Incoming, error: unknown): Promise<never> {
    const deadLetter = await this.#intake.recordPoison(cell, incoming, error, { stick: false });
    const { deadLetterId } = deadLetter;
    throw new EngineError('EVENT_POISON', deadLetter.reason, {
      data: { id: cell.subject.id, eventType: incoming.event.type, deadLetterId },
      cause: error,
    });
  }

  /** Reads the first answer to a key, unless memory knows more than the store. */
  #readFirstAnswer(id: string, key: string): Awaitable<FirstAnswer | undefined> {
    // After a purge, the stored rows still belong to the previous actor with this id.
    const isKnown = this.#purges.has(id) || this.#cells.peek(id)?.keys.has(key) === true;
    if (isKnown || !isName(key)) return undefined;
    const { store, clock } = this.#core;
    return chain(store.idempotency(id, key), (row) => {
      if (row === undefined || row.expires <= clock.now()) return undefined;
      return chain(store.readJournal(id, row.ack.seq, 1), ([entry]) => ({ row, entry }));
    });
  }

  #answered(
    cell: ActorCell,
    key: string,
    event: Ev,
    first: FirstAnswer | undefined,
  ): Promise<Ack> | undefined {
    checkId(key, 'idempotency key');
    const { id } = cell.subject;
    const pending = cell.keys.get(key);
    if (pending !== undefined) {
      assertSameEvent({ id, key }, pending.event, event);
      return pending.ack;
    }
    if (first === undefined) return undefined;
    const { row, entry } = first;
    // A trimmed journal no longer has the first event.
    if (entry?.seq === row.ack.seq) assertSameEvent({ id, key }, entry.event, event);
    return Promise.resolve(row.ack);
  }

  #firstAck(cell: ActorCell, kind: string): Promise<Ack> {
    const { id, definition } = cell.subject;
    if (definition.kind !== kind) {
      const message = `${id} has the kind ${definition.kind}, not ${kind}.`;
      throw new EngineError('ACTOR_KIND_CONFLICT', message, {
        data: { id, kind: definition.kind, wanted: kind },
      });
    }
    if (cell.created !== undefined) return cell.created;
    const current = toAck(cell.live);
    const ack = chain(this.#core.store.readJournal(id, 1, 1), ([first]): Ack => {
      // A trimmed journal no longer has the first acknowledgement.
      if (first?.seq !== 1) return current;
      const { seq, value, status } = first;
      return { seq, value, status };
    });
    return Promise.resolve(ack);
  }

  #checkMailbox(id: string, outside: number): void {
    const { mailboxMax } = this.#core.limits;
    if (outside >= mailboxMax) {
      throw new EngineError('OVERLOADED', `The mailbox of ${id} is full (${mailboxMax} events).`, {
        data: { id, mailboxMax },
      });
    }
  }

  #checkDiskSpace(): void {
    if (this.#core.store.hasRoom()) return;
    throw new EngineError('STORE_FULL', 'Free disk space is below the reserve. Reads still work.');
  }

  #findDefinition(kind: string): Definition {
    const definition = this.#core.definitions.get(kind);
    if (definition !== undefined) return definition;
    throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`, {
      data: { kind },
    });
  }
}

/** An event as its caller gave it. */
interface GivenEvent {
  readonly id: string;
  readonly event: Ev;
  readonly o: TellOptions;
  readonly origin: EventOrigin;
}

/** The stored answer to the first call with a key; its journal row may be trimmed. */
interface FirstAnswer {
  readonly row: IdempotencyRow;
  readonly entry: JournalEntry | undefined;
}

/** Copies an input while it cannot change yet; a bad one is refused where it is used. */
function copyInput(input: unknown, charsMax: number): () => unknown {
  try {
    const copy = toBounded(input, 'input', charsMax);
    return () => copy;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A key stands for one event: another one with the same key is a fault of the caller. */
function assertSameEvent(
  { id, key }: { readonly id: string; readonly key: string },
  first: Ev,
  again: Ev,
): void {
  if (isDeepStrictEqual(first, again)) return;
  const message = `The idempotency key ${key} belongs to another event of ${id}: ${first.type}.`;
  const data = { id, idempotencyKey: key, received: again.type, allowed: first.type };
  throw new EngineError('IDEMPOTENCY_CONFLICT', message, { data });
}

/** Throws if an actor accepts no events because it has ended or is stuck. */
export function assertAcceptsEvents({ subject: { id }, live }: ActorCell): void {
  const { status } = live.snapshot;
  if (status !== 'active') {
    throw new EngineError('ACTOR_CLOSED', `${id} has ended (${status}).`, { data: { id, status } });
  }
  if (live.stuck) {
    throw new EngineError('ACTOR_STUCK', `${id} is stuck until it is repaired.`, { data: { id } });
  }
}

function validateEvent(told: Ev, charsMax: number): Ev {
  const event = toBounded(told, 'event', charsMax);
  const { type } = event ?? {};
  if (typeof type !== 'string' || type === '') {
    throw new EngineError('EVENT_INVALID', 'event.type must be a non-empty string.');
  }
  if (type.startsWith('xstate.') || type.startsWith('engine.')) {
    const message = `Only the engine can send events of type ${type}.`;
    throw new EngineError('EVENT_INVALID', message, { data: { type } });
  }
  return event;
}

function getTrace({ trace }: Pick<TellOptions, 'trace'>): { readonly trace?: string } {
  if (trace === undefined) return NO_FIELDS;
  checkId(trace, 'trace');
  return { trace };
}

const NO_FIELDS = {};

/** Returns the author of a call, for the cause of a row. */
export function getAuthor({ who }: Pick<TellOptions, 'who'>): { readonly who?: string } {
  if (who === undefined) return NO_FIELDS;
  checkId(who, 'who');
  return { who };
}

function checkId(id: string, what: string): void {
  if (isName(id)) return;
  const message = `The ${what} must have 1 to ${NAME_CHARS_MAX} printable characters.`;
  throw new EngineError('EVENT_INVALID', message);
}
