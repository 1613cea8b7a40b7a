import type { ActorCache } from '../engine/actor-cache.ts';
import type { Incoming } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import type { DeliveryReceipt, InternalLane } from '../engine/internal-lane.ts';
import type { OutboxRow, Write } from '../engine/ports.ts';
import type { Committed } from '../journal/recorder.ts';

/** Rows read from the store per batch. */
const BATCH = 1_000;

/** Delivers the messages between actors exactly once, in order per receiver. */
export class Outbox {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #lane: InternalLane;
  readonly #queues = new Map<string, OutboxRow[]>();
  /** Keys of rows that are queued, or delivered and still in the store. */
  readonly #known = new Set<string>();
  /** Number of undelivered messages per sender. */
  readonly #senders = new Map<string, number>();
  #started = false;
  #closed = false;

  constructor(
    core: Core,
    parts: { readonly cells: ActorCache; readonly intake: Intake; readonly lane: InternalLane },
  ) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#lane = parts.lane;
  }

  /** Resumes the messages that the last process did not deliver. */
  start(): void {
    this.#started = true;
    let limit = BATCH;
    for (;;) {
      const rows = this.#core.store.outbox(limit);
      for (const row of rows) this.#enqueue(row);
      if (rows.length < limit) return;
      limit *= 2;
    }
  }

  /** Delivers the messages of a committed change. Before the start, older ones may be left. */
  onCommitted({ outbox }: Committed): void {
    if (!this.#started) return;
    for (const row of outbox) this.#enqueue(row);
  }

  /** Returns whether an actor has undelivered messages. */
  isSending(from: string): boolean {
    return this.#senders.has(from);
  }

  close(): void {
    this.#closed = true;
  }

  #enqueue(row: OutboxRow): void {
    const key = toKey(row);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#updateCount(row.from, 1);
    const queue = this.#queues.get(row.to);
    if (queue !== undefined) {
      queue.push(row);
      return;
    }
    this.#queues.set(row.to, [row]);
    this.#drain(row.to).catch(() => undefined);
  }

  #updateCount(from: string, change: 1 | -1): void {
    const left = (this.#senders.get(from) ?? 0) + change;
    if (left === 0) this.#senders.delete(from);
    else this.#senders.set(from, left);
  }

  async #drain(to: string): Promise<void> {
    const queue = this.#queues.get(to) ?? [];
    while (!this.#closed && queue[0] !== undefined) {
      const row = queue[0];
      const { committed } = await this.#deliver(row);
      queue.shift();
      committed.then(
        () => {
          this.#known.delete(toKey(row));
          this.#updateCount(row.from, -1);
        },
        () => undefined,
      );
    }
    this.#queues.delete(to);
  }

  async #deliver(row: OutboxRow): Promise<DeliveryReceipt> {
    const { to, event, from, fromSeq, trace } = row;
    const extra: Write[] = [{ del: 'outbox', row }];
    const cause = { by: 'actor', from, fromSeq } as const;
    if (event === undefined) return this.#create(row, extra);
    const incoming: Incoming = { event, cause, ...traceFields(trace) };
    return await this.#lane.deliver(to, incoming, {
      extra,
      onUndeliverable: (error) => this.#deadLetter(row, incoming, error),
    });
  }

  #create(row: OutboxRow, extra: readonly Write[]): DeliveryReceipt {
    const { to, create, from, fromSeq, trace } = row;
    const kind = create?.kind ?? '';
    const event = { type: 'actor.create', kind, input: create?.input };
    const cause = { by: 'actor', from, fromSeq } as const;
    try {
      const definition = this.#core.definitions.get(kind);
      if (definition === undefined) {
        throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`);
      }
      const known = this.#cells.find(to);
      if (known === undefined) {
        const first = { type: 'xstate.init', input: create?.input };
        const init: Incoming = { event: first, cause, ...traceFields(trace) };
        return toReceipt(this.#intake.create(definition, to, init, { extra }));
      }
      if (known.subject.definition.kind === kind) return toReceipt(this.#remove(extra));
      const message = `${to} has the kind ${known.subject.definition.kind}.`;
      throw new EngineError('ACTOR_KIND_CONFLICT', message);
    } catch (error) {
      return toReceipt(this.#deadLetter(row, { event, cause }, error));
    }
  }

  async #deadLetter(row: OutboxRow, incoming: Incoming, error: unknown): Promise<void> {
    const mark = `${row.from}:${row.fromSeq}:${row.n}`;
    const extra: Write[] = [{ del: 'outbox', row }];
    const { deadLetterId, reason } = await this.#intake.storeDeadLetter(
      { ...incoming, to: row.to, mark },
      error,
      extra,
    );
    this.#core.notice({
      kind: 'dead_letter',
      actorId: row.to,
      message: `${row.from} could not send ${incoming.event.type} to ${row.to}: ${reason}`,
      deadLetterId,
      cause: error,
    });
  }

  #remove(writes: readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#core.committer.submit(writes, { done: resolve, failed: reject });
    });
  }
}

function toReceipt(committed: Promise<unknown>): DeliveryReceipt {
  committed.catch(() => undefined);
  return { committed };
}

function traceFields(trace: string | undefined): { readonly trace?: string } {
  return trace === undefined ? {} : { trace };
}

function toKey({ from, fromSeq, n }: OutboxRow): string {
  return `${from}\n${fromSeq}\n${n}`;
}
