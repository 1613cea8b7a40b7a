import type { DeadLetter, JournalEntry } from '../../src/runtime/engine/types.ts';
import type { QueueWrite, SlotRow, WaitingRow } from '../../src/runtime/queue/queue-ports.ts';
import { comparePlaces } from '../../src/runtime/queue/queue-ports.ts';
import type { QueueOptions } from '../../src/runtime/queue/queue-types.ts';
import type { ModelActor } from './model-actor.ts';
import { isSame } from './model-state.ts';
import { RateBook } from './rate-book.ts';
import type { Faults } from './trace.ts';

/** What a caller asked a queue for. The input bears a nonce of its own. */
export interface Order {
  readonly queue: string;
  readonly key: string;
  readonly id: string;
  /** Those who were known to wait for the same and go first. */
  readonly ahead: readonly WaitingRow[];
}

/** What the queues did with one batch. */
export interface QueueBatch {
  readonly entries: readonly JournalEntry[];
  readonly buried: readonly DeadLetter[];
  /** Queues of actors that schedules have made directly. */
  readonly fired: ReadonlyMap<string, string | undefined>;
  readonly left: WaitingRow[];
  readonly taken: SlotRow[];
}

/** Follows the rows of queues, and holds them against what was asked for and what is promised. */
export class QueueBooks {
  readonly waiting = new Map<string, WaitingRow>();
  readonly slots = new Map<string, SlotRow>();
  /** What was asked for, by nonce. */
  readonly orders = new Map<string, Order>();
  /** Ids that somebody asks to take out, and how many do. */
  readonly #askedOut = new Map<string, number>();
  readonly counts = { waited: 0, started: 0, direct: 0, ended: 0 };
  readonly #queues: ReadonlyMap<string, QueueOptions>;
  readonly #faults: Faults;
  readonly #actors: ReadonlyMap<string, ModelActor>;
  readonly #rates = new Map<string, RateBook>();
  readonly #begun = new Set<string>();
  readonly #lefts = new Map<string, number>();
  readonly #arrivals = new Map<string, number>();

  constructor(
    queues: readonly QueueOptions[],
    around: { readonly faults: Faults; readonly actors: ReadonlyMap<string, ModelActor> },
  ) {
    this.#queues = new Map(queues.map((queue) => [queue.name, queue]));
    this.#faults = around.faults;
    this.#actors = around.actors;
  }

  /** Notes that somebody asks to take an id out. */
  askOut(id: string): void {
    this.#askedOut.set(id, (this.#askedOut.get(id) ?? 0) + 1);
  }

  /** Notes that somebody has an answer to that. */
  answeredOut(id: string): void {
    const left = (this.#askedOut.get(id) ?? 1) - 1;
    if (left === 0) this.#askedOut.delete(id);
    else this.#askedOut.set(id, left);
  }

  /** A process begins: nobody asks for anything yet. */
  begin(): void {
    this.#askedOut.clear();
  }

  /** How often somebody of this id has stopped waiting. */
  leftOf(id: string): number {
    return this.#lefts.get(id) ?? 0;
  }

  /** Those who wait in a queue, in its order. */
  inOrder(queue: string): readonly WaitingRow[] {
    return [...this.waiting.values()].filter((row) => row.queue === queue).sort(comparePlaces);
  }

  /** True when limits hold this row back at this time. */
  isHeld({ queue, key }: WaitingRow, now: number): boolean {
    const options = this.#queues.get(queue);
    const { concurrency = Number.POSITIVE_INFINITY, perKey = {} } = options ?? {};
    const { concurrency: most = Number.POSITIVE_INFINITY } = perKey;
    if (this.#running(queue) >= concurrency) return true;
    if (this.#rates.get(`${queue}\n`)?.allows(now) === false) return true;
    if (key === '') return false;
    return (
      this.#running(queue, key) >= most ||
      this.#rates.get(`${queue}\n${key}`)?.allows(now) === false
    );
  }

  /** True when a queue takes nobody more. */
  isFull(queue: string): boolean {
    return this.inOrder(queue).length >= this.#waitingMax(queue);
  }

  /** Takes one write of a batch, in its order. */
  take(write: QueueWrite, batch: QueueBatch): void {
    if ('del' in write) {
      if (write.del === 'slot') this.#freed(write.id);
      else this.#left(write.row, batch);
      return;
    }
    if (write.put === 'waiting') this.#arrived(write.row);
    else if (write.put === 'slot') this.#taken(write.row, batch);
  }

  /** Looks at a batch as a whole. */
  finish(batch: QueueBatch): void {
    for (const row of batch.left) this.#checkLeft(row, batch);
    for (const entry of batch.entries) if (entry.seq === 1) this.#checkBegun(entry, batch);
    for (const slot of batch.taken) {
      const entry = batch.entries.find(({ id, seq }) => id === slot.id && seq === 1);
      const isBegun = entry !== undefined && this.#slotOf(entry, batch) !== undefined;
      this.#faults.check(isBegun, 'a place is taken with a start', () => ({ slot, entry }));
    }
    for (const slot of this.slots.values()) {
      const runs = this.#actors.get(slot.id)?.isClosed === false;
      this.#faults.check(runs, 'a place is held by an actor that runs', () => slot);
      const waits = this.waiting.has(slot.id);
      this.#faults.check(!waits, 'nobody waits and runs', () => slot);
    }
  }

  #arrived(row: WaitingRow): void {
    const { queue, id, arrival } = row;
    const known = this.waiting.get(id);
    this.#faults.check(known === undefined, 'an id waits once', () => ({ row, known }));
    const last = this.#arrivals.get(queue) ?? 0;
    this.#faults.check(arrival > last, 'arrivals rise', () => ({ row, last }));
    this.#arrivals.set(queue, arrival);
    this.waiting.set(id, row);
    this.counts.waited += 1;
    const many = this.inOrder(queue).length;
    const isBound = many <= this.#waitingMax(queue);
    this.#faults.check(isBound, 'no more wait than may', () => ({ row, many }));
  }

  #left(row: WaitingRow, batch: QueueBatch): void {
    const known = this.waiting.get(row.id);
    this.#faults.check(isSame(known, row), 'only who waits leaves', () => ({ row, known }));
    this.waiting.delete(row.id);
    this.#lefts.set(row.id, this.leftOf(row.id) + 1);
    batch.left.push(row);
    if (this.#askedOut.has(row.id)) return;
    const first = this.inOrder(row.queue).find(
      ({ key, rank, arrival }) =>
        key === row.key && rank === row.rank && comparePlaces({ rank, arrival, id: '' }, row) < 0,
    );
    this.#faults.check(first === undefined, 'who came first goes first', () => ({ row, first }));
  }

  #checkLeft(row: WaitingRow, { buried }: QueueBatch): void {
    const { id } = row;
    const isBuried = buried.some(({ actorId, event }) => {
      return actorId === id && event.type === 'actor.create';
    });
    const isThere = this.#actors.has(id);
    const why = isBuried || isThere || this.#askedOut.has(id);
    this.#faults.check(why, 'nobody who waits is lost', () => row);
  }

  #taken(slot: SlotRow, batch: QueueBatch): void {
    const { queue, key, id } = slot;
    const isNew = !this.slots.has(id);
    this.#faults.check(isNew, 'an actor holds one place', () => slot);
    this.slots.set(id, slot);
    batch.taken.push(slot);
    this.counts.started += 1;
    const options = this.#queues.get(queue);
    const { concurrency = Number.POSITIVE_INFINITY, perKey = {}, rate } = options ?? {};
    const { concurrency: most = Number.POSITIVE_INFINITY } = perKey;
    const running = [this.#running(queue), this.#running(queue, key)] as const;
    const isWithin = running[0] <= concurrency && (key === '' || running[1] <= most);
    this.#faults.check(isWithin, 'no more run than may', () => ({ slot, running, options }));
    const at = batch.entries.findLast((entry) => entry.id === id)?.at ?? Number.NaN;
    if (rate !== undefined) this.#spend(`${queue}\n`, rate, at);
    if (key !== '' && perKey.rate !== undefined) this.#spend(`${queue}\n${key}`, perKey.rate, at);
  }

  #spend(scope: string, rate: ConstructorParameters<typeof RateBook>[0], at: number): void {
    const book = this.#rates.get(scope) ?? new RateBook(rate);
    this.#rates.set(scope, book);
    const tooMany = book.start(at);
    const claim = 'no window holds more starts than its rate';
    this.#faults.check(tooMany === undefined, claim, () => ({ scope, rate, at, tooMany }));
  }

  #freed(id: string): void {
    const isHeld = this.slots.delete(id);
    this.#faults.check(isHeld, 'a place is freed once', () => id);
    this.counts.ended += 1;
  }

  #checkBegun(entry: JournalEntry, batch: QueueBatch): void {
    const { id, cause } = entry;
    const nonce = nonceOf(entry);
    const order = this.orders.get(nonce);
    if (order !== undefined && (cause.by === 'create' || cause.by === 'retry')) {
      const isFirst = !this.#begun.has(nonce);
      this.#faults.check(isFirst, 'what was asked for once is started once', () => entry);
      this.#begun.add(nonce);
      this.#faults.check(order.id === id, 'a start is of the id asked for', () => entry);
    }
    const wanted = this.#slotOf(entry, batch);
    const found = batch.taken.find((slot) => slot.id === id);
    const claim = 'a start through a queue takes a place, and no other';
    this.#faults.check(isSame(found, wanted), claim, () => ({ entry, wanted, found }));
    if (order === undefined || batch.left.some((row) => row.id === id)) return;
    this.counts.direct += 1;
    const behind = order.ahead.find((row) => this.waiting.get(row.id)?.arrival === row.arrival);
    this.#faults.check(behind === undefined, 'nobody overtakes who waits for the same', () => ({
      entry,
      order,
      behind,
    }));
  }

  /** The place that an actor's first row has to come with. */
  #slotOf(entry: JournalEntry, { fired, left }: QueueBatch): SlotRow | undefined {
    const { id, cause } = entry;
    if (cause.by !== 'create') return undefined;
    const order = this.orders.get(nonceOf(entry));
    if (order !== undefined) return { id, queue: order.queue, key: order.key };
    const row = left.find((each) => each.id === id);
    if (row !== undefined && isSame(row.input, inputOf(entry))) {
      return { id, queue: row.queue, key: row.key };
    }
    const queue = fired.get(id);
    return queue === undefined ? undefined : { id, queue, key: '' };
  }

  #running(queue: string, key?: string): number {
    return [...this.slots.values()].filter(
      (slot) => slot.queue === queue && (key === undefined || slot.key === key),
    ).length;
  }

  #waitingMax(queue: string): number {
    return this.#queues.get(queue)?.waitingMax ?? Number.POSITIVE_INFINITY;
  }
}

function inputOf({ event }: JournalEntry): unknown {
  return event['input'];
}

function nonceOf(entry: JournalEntry): string {
  return String((inputOf(entry) as { readonly nonce?: string } | undefined)?.nonce);
}
