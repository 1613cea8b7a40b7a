import type { AnyStateMachine } from 'xstate';
import type { OutboxRow, Write } from '../../src/runtime/engine/ports.ts';
import type { DeadLetter, JournalEntry, ListRow } from '../../src/runtime/engine/types.ts';
import type { QueueOptions } from '../../src/runtime/queue/queue-types.ts';
import { CrashBooks } from './crash-books.ts';
import type { ModelRow } from './model-actor.ts';
import { ModelActor } from './model-actor.ts';
import type { ModelSend } from './model-state.ts';
import { inOneOrder, isSame } from './model-state.ts';
import type { QueueBatch } from './queue-books.ts';
import { QueueBooks } from './queue-books.ts';
import type { ScheduleBatch } from './schedule-books.ts';
import { ScheduleBooks } from './schedule-books.ts';
import type { Faults, Trace } from './trace.ts';

/**
 * Follows what reaches the disk, in order, and checks every batch against what XState and the
 * promises of the engine say about it. It knows nothing of the engine's code.
 */
export class Oracle {
  readonly actors = new Map<string, ModelActor>();
  /** Actors that were purged: late answers may still speak of them. */
  readonly graves = new Map<string, ModelActor>();
  readonly outbox = new Map<string, OutboxRow>();
  readonly dead = new Map<string, DeadLetter>();
  readonly index = new Map<string, ListRow>();
  readonly feed: JournalEntry[] = [];
  readonly queues: QueueBooks;
  readonly schedules: ScheduleBooks;
  readonly crashes: CrashBooks;
  globalSeq = 0;
  /** Told of every row. */
  onRow: (entry: JournalEntry) => void = () => undefined;
  readonly #faults: Faults;
  readonly #trace: Trace;
  readonly #machineOf: (kind: string, version: number) => AnyStateMachine;

  constructor(
    around: { readonly faults: Faults; readonly trace: Trace },
    queues: readonly QueueOptions[],
    machineOf: (kind: string, version: number) => AnyStateMachine,
  ) {
    const { faults, trace } = around;
    const { actors } = this;
    this.#faults = faults;
    this.#trace = trace;
    this.#machineOf = machineOf;
    this.crashes = new CrashBooks(faults);
    this.queues = new QueueBooks(queues, { faults, actors });
    this.schedules = new ScheduleBooks(faults, { actors, queues: this.queues });
  }

  /**
   * Takes one batch that is safe on the disk.
   *
   * @param at - When it was handed to the disk, in milliseconds.
   */
  take(writes: readonly Write[], at: number): void {
    if (this.#faults.first !== undefined) return;
    const batch = newBatch(at);
    try {
      for (const write of writes) this.#write(write, batch);
      this.#finish(batch);
    } catch (error) {
      this.#faults.add('a batch can be followed', String(error));
    }
  }

  /** A row that is safe on the disk, of the actor or of the one that had its id before. */
  row(id: string, seq: number): ModelRow | undefined {
    return this.actors.get(id)?.rows[seq - 1] ?? this.graves.get(id)?.rows[seq - 1];
  }

  #write(write: Write, batch: Batch): void {
    if ('purge' in write) this.#purge(write.row.id);
    else if ('put' in write) this.#put(write, batch);
    else if ('del' in write) this.#del(write, batch);
  }

  #put(write: Extract<Write, { put: string }>, batch: Batch): void {
    switch (write.put) {
      case 'journal':
        this.#journal(write.row, batch);
        return;
      case 'snapshot':
        this.#snapshot(write.id, write.row);
        return;
      case 'timer':
        this.#touched(write.id, batch).shelf.timers.set(write.row.timerId, write.row);
        return;
      case 'effect':
        this.#effect(write, batch);
        return;
      case 'crash':
        this.crashes.take(write, this.actors);
        return;
      case 'outbox':
        this.#send(write.row, batch);
        return;
      case 'idempotency':
        this.#answer(write, batch);
        return;
      case 'dead':
        batch.buried.push(write.row);
        this.dead.set(write.row.deadLetterId, write.row);
        return;
      case 'index':
        this.index.set(write.row.id, write.row);
        return;
      case 'waiting':
      case 'slot':
      case 'rate':
        this.#trace.add(`put ${write.put} ${JSON.stringify(write.row)}`);
        this.queues.take(write, batch);
        return;
      case 'mark':
        return;
      case 'schedule':
        this.#trace.add(`put schedule ${JSON.stringify(write.row)}`);
        this.schedules.take(write, batch);
        return;
      // The machines of the simulation have no system ids.
      case 'systemId':
    }
  }

  #del(write: Extract<Write, { del: string }>, batch: Batch): void {
    switch (write.del) {
      case 'timer':
        this.#touched(write.id, batch).shelf.timers.delete(write.row.timerId);
        return;
      case 'effect':
        this.#touched(write.id, batch).shelf.effects.delete(write.childId);
        return;
      case 'crash':
        this.crashes.take(write, this.actors);
        return;
      case 'outbox':
        this.#delivered(write.row, batch);
        return;
      case 'dead': {
        const { deadLetterId } = write;
        const claim = 'a dead letter is retried once';
        const { actorId, event } = this.dead.get(deadLetterId) ?? {};
        this.#faults.check(this.dead.delete(deadLetterId), claim, () => write);
        if (event?.type === 'engine.effect.crashed') {
          // Its effect may run again; there is no event that the actor could be told.
          this.crashes.lives(this.actors.get(actorId ?? ''), String(event['childId']));
          return;
        }
        const retry = batch.entries.find(
          ({ cause }) => cause.by === 'retry' && cause.deadLetterId === deadLetterId,
        );
        this.#faults.check(retry !== undefined, 'a dead letter goes with its retry', () => write);
        return;
      }
      case 'waiting':
      case 'slot':
        this.queues.take(write, batch);
        return;
      case 'schedule':
        this.schedules.take(write, batch);
        return;
      case 'systemId':
    }
  }

  #journal(entry: JournalEntry, batch: Batch): void {
    this.#trace.add(`row ${entry.globalSeq} ${entry.id} ${entry.seq} ${entry.entry} ${entry.hash}`);
    const isNext = entry.globalSeq === this.globalSeq + 1;
    const claim = 'the global order has no gap and no double';
    this.#faults.check(isNext, claim, () => ({ last: this.globalSeq, entry }));
    this.globalSeq = entry.globalSeq;
    this.feed.push(entry);
    batch.entries.push(entry);
    const actor = this.#actorOf(entry);
    batch.touched.add(actor);
    if (entry.cause.by === 'actor') this.#expectDelivery(entry, batch);
    this.#checkKey(actor, entry, batch);
    this.crashes.row(entry, actor);
    this.onRow(entry);
    const sends = actor.take(entry);
    for (const [n, send] of sends.entries())
      batch.sends.set(`${entry.id}\n${entry.seq}\n${n}`, send);
  }

  #actorOf(entry: JournalEntry): ModelActor {
    const known = this.actors.get(entry.id);
    if (known !== undefined) return known;
    const { seq, cause } = entry;
    this.#faults.check(seq === 1, 'the first row of an actor is row 1', () => entry);
    const begins = cause.by !== 'timer' && cause.by !== 'effect' && cause.by !== 'outside';
    this.#faults.check(begins, 'an actor begins by being made', () => entry);
    const actor = new ModelActor(entry.id, entry.kind, {
      faults: this.#faults,
      machineOf: this.#machineOf,
      rowOf: (id, at) => this.row(id, at),
    });
    this.actors.set(entry.id, actor);
    return actor;
  }

  #checkKey(actor: ModelActor, { cause, entry, at, id }: JournalEntry, batch: Batch): void {
    if (cause.by !== 'outside' || cause.idempotencyKey === undefined || entry !== 'event') return;
    const { idempotencyKey: key } = cause;
    const known = actor.keys.get(key);
    const isNew = known === undefined || known.expires <= at;
    this.#faults.check(isNew, 'a key is taken once in its time', () => ({ id, key, known }));
    batch.keys.add(`${id}\n${key}`);
  }

  #answer({ id, key, row }: Extract<Write, { put: 'idempotency' }>, batch: Batch): void {
    const entry = batch.entries.findLast((each) => each.id === id);
    const { seq, value, status } = entry ?? {};
    const claim = 'an answer that is kept is that of its row';
    this.#faults.check(isSame(row.ack, { seq, value, status }), claim, () => ({ id, key, row }));
    batch.keys.delete(`${id}\n${key}`);
    this.#touched(id, batch).keys.set(key, row);
  }

  #snapshot(id: string, row: Extract<Write, { put: 'snapshot' }>['row']): void {
    const actor = this.actors.get(id);
    const then = actor?.rows[row.seq - 1];
    const claim = 'a snapshot is of a row that exists';
    this.#faults.check(then !== undefined, claim, () => ({ id, row }));
    if (actor === undefined || then === undefined || then !== actor.last) return;
    const { snapshot, stuck, timers, effects, version } = row;
    const tokens = [...timers, ...effects].map(({ token }) => token).sort();
    const model = {
      snapshot: actor.persisted(),
      stuck: then.stuck,
      version: then.entry.version,
      tokens: [...then.timers.values(), ...then.effects.values()].map(({ token }) => token).sort(),
    };
    const same = isSame({ snapshot: inOneOrder(snapshot), stuck, version, tokens }, model);
    this.#faults.check(same, 'a snapshot is the state of its row', () => ({ id, row, model }));
  }

  #effect({ id, row }: Extract<Write, { put: 'effect' }>, batch: Batch): void {
    const { shelf } = this.#touched(id, batch);
    const known = shelf.effects.get(row.childId);
    if (known?.token === row.token) {
      const grows = row.attempt === known.attempt || row.attempt === known.attempt + 1;
      this.#faults.check(grows, 'attempts are noted one by one', () => ({ id, known, row }));
    } else {
      this.#faults.check(row.attempt <= 1, 'a new effect has no past', () => ({ id, known, row }));
    }
    if (row.waiting) this.crashes.lives(this.actors.get(id), row.childId);
    shelf.effects.set(row.childId, row);
  }

  #send(row: OutboxRow, batch: Batch): void {
    const key = keyOf(row);
    const send = batch.sends.get(key);
    const { to, create, event } = row;
    const same = send !== undefined && isSame(send, { to, create, event });
    this.#faults.check(same, 'a message is one that its row sends', () => ({ row, send }));
    batch.sends.delete(key);
    const isNew = !this.outbox.has(key);
    this.#faults.check(isNew, 'a message has a key of its own', () => row);
    this.outbox.set(key, row);
  }

  #expectDelivery(entry: JournalEntry, batch: Batch): void {
    batch.deliveries.push({ id: entry.id, cause: entry.cause, event: entry.event });
  }

  #delivered(row: OutboxRow, batch: Batch): void {
    const key = keyOf(row);
    const known = this.outbox.get(key);
    this.#faults.check(known !== undefined, 'a message arrives once', () => row);
    const first = [...this.outbox.values()].find(
      ({ from, to }) => from === row.from && to === row.to,
    );
    const inOrder = first === undefined || keyOf(first) === key;
    this.#faults.check(inOrder, 'messages of one sender arrive in order', () => ({ row, first }));
    this.outbox.delete(key);
    const at = batch.deliveries.findIndex((delivery) => isDeliveryOf(delivery, row));
    if (at !== -1) {
      batch.deliveries.splice(at, 1);
      return;
    }
    const grave = batch.buried.findIndex(
      ({ actorId, cause }) => actorId === row.to && cause.by === 'actor' && cause.from === row.from,
    );
    if (grave !== -1) batch.buried.splice(grave, 1);
    const exists = row.create !== undefined && this.actors.get(row.to)?.kind === row.create.kind;
    this.#faults.check(grave !== -1 || exists, 'a message is taken or buried', () => row);
  }

  #purge(id: string): void {
    const actor = this.actors.get(id);
    this.#faults.check(actor?.isClosed === true, 'only ended actors are purged', () => ({ id }));
    if (actor !== undefined) this.graves.set(id, actor);
    this.actors.delete(id);
    this.crashes.purge(id);
    this.index.delete(id);
  }

  #touched(id: string, batch: Batch): ModelActor {
    const actor = this.actors.get(id);
    if (actor === undefined) throw new Error(`rows are written for ${id}, which does not exist`);
    batch.touched.add(actor);
    return actor;
  }

  #finish(batch: Batch): void {
    for (const actor of batch.touched) actor.compareShelf();
    this.queues.finish(batch);
    this.schedules.finish(batch);
    const { sends, keys, deliveries } = batch;
    this.#faults.check(sends.size === 0, 'what a row sends goes with it', () => [...sends]);
    this.#faults.check(keys.size === 0, 'a key goes with its row', () => [...keys]);
    this.#faults.check(deliveries.length === 0, 'a message goes with its row', () => deliveries);
    for (const { entry, id, seq } of batch.entries) {
      if (entry !== 'poison') continue;
      const hasLetter = batch.buried.some(({ actorId }) => actorId === id);
      this.#faults.check(hasLetter, 'poison is kept as a dead letter', () => ({ id, seq }));
    }
  }
}

interface Delivery {
  readonly id: string;
  readonly cause: JournalEntry['cause'];
  readonly event: JournalEntry['event'];
}

interface Batch extends QueueBatch, ScheduleBatch {
  readonly entries: JournalEntry[];
  readonly touched: Set<ModelActor>;
  readonly sends: Map<string, ModelSend>;
  readonly keys: Set<string>;
  readonly deliveries: Delivery[];
  readonly buried: DeadLetter[];
  readonly fired: Map<string, string | undefined>;
}

function newBatch(at: number): Batch {
  return {
    at,
    left: [],
    taken: [],
    fired: new Map(),
    entries: [],
    touched: new Set(),
    sends: new Map(),
    keys: new Set(),
    deliveries: [],
    buried: [],
  };
}

function isDeliveryOf({ id, cause, event }: Delivery, row: OutboxRow): boolean {
  if (id !== row.to || cause.by !== 'actor') return false;
  if (cause.from !== row.from || cause.fromSeq !== row.fromSeq) return false;
  return row.event === undefined
    ? isSame(event, { type: 'xstate.init', input: row.create?.input })
    : isSame(event, row.event);
}

function keyOf({ from, fromSeq, n }: OutboxRow): string {
  return `${from}\n${fromSeq}\n${n}`;
}
