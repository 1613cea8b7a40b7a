import type { ActorCache } from '../engine/actor-cache.ts';
import type { Incoming } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Ingress } from '../engine/ingress.ts';
import type { Intake } from '../engine/intake.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { Write } from '../engine/ports.ts';
import { Submitter } from '../engine/submitter.ts';
import type { Ack, Enqueued, EnqueueOptions, Page, QueuedRow } from '../engine/types.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { chain, read } from '../load/awaitable.ts';
import { Departed } from '../load/departed.ts';
import type { Need } from '../load/loader.ts';
import { findEarliest } from '../timer/earliest.ts';
import { toBounded } from '../value/plain.ts';
import type { Started } from './queue.ts';
import { Queue, toKey } from './queue.ts';
import { checkEnqueue, checkQueues } from './queue-check.ts';
import type { SlotRow, WaitingPlace, WaitingRow } from './queue-ports.ts';
import type { QueueOptions } from './queue-types.ts';
import { PRIORITY_MAX } from './queue-types.ts';

const PAGE_ROWS = 100;

/** An enqueue request. */
export interface EnqueueRequest {
  readonly queue: string;
  readonly kind: string;
  readonly id: string;
  readonly input: unknown;
  readonly options: EnqueueOptions;
  /** Writes that belong to the same batch. */
  readonly extra?: readonly Write[];
}

/** What a section reads that enqueues an actor. */
export type PlaceNeed = Need<WaitingRow | undefined> &
  Required<Pick<Need<WaitingRow | undefined>, 'read'>>;

/** The queues of an engine. The stored rows are authoritative; all waiting state is in them. */
export class Queues {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #ingress: Ingress;
  readonly #submitter: Submitter;
  readonly #queues = new Map<string, Queue>();
  /** Acknowledgements that are not on disk yet. */
  readonly #pending = new Map<
    string,
    { readonly kind: string; readonly answer: Promise<Enqueued> }
  >();
  #unwatch: () => void = () => undefined;
  /** Actors that no longer wait although the store still has their rows. */
  readonly #removed = new Map<string, Promise<unknown>>();
  /** Rows that no longer wait although a read may return them. */
  readonly #departed = new Departed();

  /** @throws {EngineError} `DEFINITION_INVALID` if the options of a queue are invalid. */
  constructor(
    core: Core,
    options: readonly QueueOptions[],
    parts: { readonly cells: ActorCache; readonly intake: Intake; readonly ingress: Ingress },
  ) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#ingress = parts.ingress;
    this.#submitter = new Submitter(core, parts.intake);
    checkQueues(options);
    for (const each of options) {
      const queue = new Queue(core, each, {
        start: (row, of) => this.#start(row, of),
        isGone: (row) => this.#departed.has(toKey(row)),
        holdGone: () => this.#departed.hold(),
      });
      this.#queues.set(each.name, queue);
    }
  }

  /** Restores the slots of the last process and starts the queues. */
  *open(): Reading<void> {
    const { slots, store } = this.#core;
    const held = slots.restore(yield* read(store.slots()));
    for (const row of held) this.#queues.get(row.queue)?.onStarted(row);
    for (const queue of this.#queues.values()) yield* queue.open();
    slots.onFree = (row) => this.#queues.get(row.queue)?.onEnded(row);
    this.pump();
    this.#unwatch = this.#core.clock.onSetBack?.(() => this.pump()) ?? this.#unwatch;
  }

  /** Starts every waiting actor that a queue has room for. */
  pump(): void {
    for (const queue of this.#queues.values()) queue.pump();
  }

  close(): void {
    this.#unwatch();
    for (const queue of this.#queues.values()) queue.close();
  }

  /** Returns the earliest time at which an actor can start without another one ending first. */
  get nextDue(): number | undefined {
    return findEarliest([...this.#queues.values()].map(({ nextDue }) => nextDue));
  }

  /**
   * Returns a queue by name.
   *
   * @throws {EngineError} `QUEUE_UNKNOWN`
   */
  get(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    const known = [...this.#queues.keys()];
    throw new EngineError('QUEUE_UNKNOWN', `No queue has the name ${name}.`, {
      data: { received: name, known },
    });
  }

  /** Implements `ActorEngine.enqueue`. */
  enqueue(given: EnqueueRequest): Promise<Enqueued> {
    const { queue, request } = this.#check(given);
    const need = this.needOf(given);
    return this.#cells.prepare(need, (row) => this.#decide(queue, request, row));
  }

  /** Does the same in a section that was prepared with `needOf`. */
  enqueuePrepared(given: EnqueueRequest, row: WaitingRow | undefined): Promise<Enqueued> {
    const { queue, request } = this.#check(given);
    return this.#decide(queue, request, row);
  }

  /** Returns what a section needs that enqueues an actor: its waiting row, if there is one. */
  needOf({ queue: name, id, options: { key = '' } }: EnqueueRequest): PlaceNeed {
    const queue = this.#queues.get(name);
    if (queue === undefined) return { ids: [id], read: () => undefined };
    return { ids: [id], lane: queue, read: () => this.#readPlace(queue, id, key) };
  }

  #check(given: EnqueueRequest): { readonly queue: Queue; readonly request: EnqueueRequest } {
    const queue = this.get(given.queue);
    checkEnqueue(given, this.#core.definitions);
    const input = toBounded(given.input, 'input', this.#core.limits.eventCharsMax);
    return { queue, request: { ...given, options: { ...given.options }, input } };
  }

  #decide(queue: Queue, request: EnqueueRequest, row: WaitingRow | undefined): Promise<Enqueued> {
    const { id, kind } = request;
    const pendingRemoval = this.#ingress.pendingPurge(id) ?? this.#pendingRemoval(id);
    if (pendingRemoval !== undefined) return pendingRemoval.then(() => this.enqueue(request));
    const answer = this.#findExisting(request, row);
    if (answer !== undefined) return answer;
    if (!this.#core.store.hasRoom()) {
      const message = 'Free disk space is below the reserve. Reads still work.';
      throw new EngineError('STORE_FULL', message);
    }
    const pending = this.#startOrWait(queue, request);
    this.#pending.set(id, { kind, answer: pending });
    const settle = (): void => {
      this.#cells.loader.forget(id, () => this.#pending.delete(id));
    };
    pending.then(settle, settle);
    return pending;
  }

  /** Implements `ActorEngine.queued`. */
  queued(name: string, cursor?: string): Awaitable<Page<QueuedRow>> {
    this.get(name);
    const page = this.#core.store.waiting(name, parseCursor(cursor), PAGE_ROWS + 1);
    return this.#departed.during(page, (found) => {
      const rows = found.slice(0, PAGE_ROWS).filter((row) => !this.#departed.has(toKey(row)));
      const last = found[PAGE_ROWS - 1];
      const answer = { rows: rows.map(toQueuedRow) };
      return found.length > PAGE_ROWS && last !== undefined
        ? { ...answer, cursor: toCursor(last) }
        : answer;
    });
  }

  /** Implements `ActorEngine.dequeue`. */
  async dequeue(name: string, id: string): Promise<boolean> {
    const queue = this.get(name);
    if (!isName(id)) {
      throw new EngineError(
        'EVENT_INVALID',
        `An id must have 1 to ${NAME_CHARS_MAX} printable characters.`,
      );
    }
    await this.#pending.get(id)?.answer.catch(() => undefined);
    return await this.#cells.prepare({ ids: [id], read: () => this.#readRow(id) }, (row) => {
      const pending = this.#pending.get(id);
      if (pending === undefined) return this.#remove(queue, row);
      // Enqueued by a call that ran just before; its row may not be on disk yet.
      const again = () => this.dequeue(name, id);
      return pending.answer.then(again, again);
    });
  }

  async #remove(queue: Queue, row: WaitingRow | undefined): Promise<boolean> {
    if (row === undefined || row.queue !== queue.options.name) return false;
    queue.onRemoved(row);
    await this.#markRemoved(row, this.#submitter.write([{ del: 'waiting', row }]));
    return true;
  }

  /** Returns true while an actor waits in any queue or is being enqueued. */
  readWaiting(id: string): Awaitable<boolean> {
    if (this.#removed.has(id)) return false;
    return this.#pending.has(id) || chain(this.#readRow(id), (row) => row !== undefined);
  }

  #readRow(id: string): Awaitable<WaitingRow | undefined> {
    return this.#departed.during(this.#core.store.waitingRow(id), (row) =>
      row === undefined || this.#departed.has(toKey(row)) ? undefined : row,
    );
  }

  /** Reads whether an actor waits already, and what decides whether it can start. */
  #readPlace(queue: Queue, id: string, key: string): Awaitable<WaitingRow | undefined> {
    if (this.#pending.has(id) || this.#cells.peek(id) !== undefined) return undefined;
    return chain(this.#readRow(id), (row) =>
      row === undefined ? chain(queue.prepareStart(key), () => undefined) : row,
    );
  }

  #pendingRemoval(id: string): Promise<unknown> | undefined {
    // If a row leaves because its actor starts, the actor answers the call.
    return this.#cells.peek(id) === undefined ? this.#removed.get(id) : undefined;
  }

  #findExisting(
    { queue, id, kind }: EnqueueRequest,
    row: WaitingRow | undefined,
  ): Promise<Enqueued> | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined) {
      assertSameKind(id, pending.kind, kind);
      return pending.answer;
    }
    const known = this.#ingress.findAck(id, kind);
    if (known !== undefined) return known.then((ack) => toStarted(queue, id, ack));
    if (row === undefined) return undefined;
    assertSameKind(id, row.kind, kind);
    return Promise.resolve({ queue: row.queue, id, state: 'waiting' });
  }

  #startOrWait(queue: Queue, form: EnqueueRequest): Promise<Enqueued> {
    const { kind, id, input, options, extra = [] } = form;
    const { key = '' } = options;
    if (queue.canStartNow(key)) {
      const slot: SlotRow = { id, queue: form.queue, key };
      const ack = this.#createActor(queue, slot, { kind, input, extra });
      return ack.then((first) => toStarted(form.queue, id, first));
    }
    if (queue.isFull) {
      const { waiting } = queue;
      throw new EngineError('OVERLOADED', `The queue ${form.queue} is full (${waiting} actors).`, {
        data: { queue: form.queue, waiting, waitingMax: queue.options.waitingMax },
      });
    }
    return this.#addWaiting(queue, form);
  }

  async #addWaiting(queue: Queue, { kind, id, input, options, extra = [] }: EnqueueRequest) {
    const row: WaitingRow = {
      queue: queue.options.name,
      id,
      kind,
      input,
      key: options.key ?? '',
      ...queue.nextPlace(options.priority ?? 0),
      at: this.#core.clock.now(),
    };
    queue.countWaiting();
    await this.#submitter.write([{ put: 'waiting', row }, ...extra], () => queue.onArrived(row));
    return { queue: row.queue, id, state: 'waiting' } as const;
  }

  /** Creates the actor of a slot; the slot is released if its machine cannot start. */
  #createActor(
    queue: Queue,
    slot: SlotRow,
    facts: {
      readonly kind: string;
      readonly input: unknown;
      readonly extra: readonly Write[];
      /** Present if the start is counted against the rates already. */
      readonly rates?: readonly Write[] | undefined;
    },
  ): Promise<Ack> {
    const definition = this.#core.definitions.get(facts.kind);
    if (definition === undefined) {
      throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${facts.kind} is not defined.`);
    }
    const event = { type: 'xstate.init', input: facts.input };
    const incoming: Incoming = { event, cause: { by: 'create' } };
    const extra: Write[] = [...facts.extra, this.#core.slots.take(slot)];
    queue.onStarted(slot);
    try {
      const rates = facts.rates ?? queue.load.consume(slot.key, this.#core.clock.now());
      return this.#intake.create(definition, slot.id, incoming, { extra: [...extra, ...rates] });
    } catch (error) {
      this.#core.slots.free(slot.id);
      throw error;
    }
  }

  /** Starts a waiting actor, after those of its queue that were to start before. */
  #start(row: WaitingRow, queue: Queue): Awaitable<Started> {
    return this.#cells.prepare({ ids: [row.id], lane: queue.starts }, () => {
      const reserved = queue.takeReserved(row);
      if (reserved === undefined) return { committed: Promise.resolve() };
      return { committed: this.#markRemoved(row, this.#startNow(row, queue, reserved.rates)) };
    });
  }

  #startNow(row: WaitingRow, queue: Queue, rates: readonly Write[] | undefined): Promise<unknown> {
    const { id, kind, input, key } = row;
    const extra: Write[] = [{ del: 'waiting', row }];
    try {
      const known = this.#cells.find(id);
      if (known === undefined) {
        const slot = { id, queue: row.queue, key };
        return this.#createActor(queue, slot, { kind, input, extra, rates });
      }
      assertSameKind(id, known.subject.definition.kind, kind);
      // Another caller created it directly, bypassing the queue.
      return this.#submitter.write(extra);
    } catch (error) {
      const letter = { to: id, kind, input, mark: `${row.queue}:${row.arrival}` };
      return this.#submitter.deadLetter(letter, error, extra);
    }
  }

  /** Treats a row as gone until the store has removed it. */
  #markRemoved<T>(row: WaitingRow, committed: Promise<T>): Promise<T> {
    const key = toKey(row);
    this.#removed.set(row.id, committed);
    this.#departed.add(key);
    const over = (): void => {
      this.#removed.delete(row.id);
      this.#departed.settle(key);
    };
    // A failed commit stops the engine, so nothing more is started.
    committed.then(over, () => undefined);
    return committed;
  }
}

function assertSameKind(id: string, kind: string, expected: string): void {
  if (kind === expected) return;
  throw new EngineError('ACTOR_KIND_CONFLICT', `${id} has the kind ${kind}, not ${expected}.`, {
    data: { id, kind, wanted: expected },
  });
}

function toStarted(queue: string, id: string, ack: Ack): Enqueued {
  return { queue, id, state: 'started', ack };
}

/** Returns the public form of a waiting row. */
function toQueuedRow({ queue, id, kind, key, rank, at }: WaitingRow): QueuedRow {
  const priority = PRIORITY_MAX - rank;
  return { queue, id, kind, ...(key === '' ? {} : { key }), priority, at };
}

/** Returns the cursor after a row. */
function toCursor({ rank, arrival, id }: WaitingRow): string {
  return `${rank}\n${arrival}\n${id}`;
}

/** Parses a cursor to its place in the queue; `undefined` means the start. */
function parseCursor(cursor: string | undefined): WaitingPlace | undefined {
  if (cursor === undefined) return undefined;
  const [rank = '', arrival = '', id = ''] = cursor.split('\n');
  return { rank: Number(rank), arrival: Number(arrival), id };
}
