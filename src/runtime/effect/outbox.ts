import type { Cells } from '../engine/cells.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import type { InternalLane, Receipt } from '../engine/internal-lane.ts';
import type { Incoming } from '../engine/moment.ts';
import type { OutboxRow, Write } from '../engine/ports.ts';
import type { Committed } from '../journal/recorder.ts';

/** Rows read from the store per batch. */
const BATCH = 1_000;

/** Delivers the messages between actors exactly once, in order per receiver. */
export class Outbox {
  readonly #core: Core;
  readonly #cells: Cells;
  readonly #intake: Intake;
  readonly #lane: InternalLane;
  readonly #queues = new Map<string, OutboxRow[]>();
  /** Keys of rows that are queued, or delivered and still in the store. */
  readonly #known = new Set<string>();
  /** Number of undelivered messages per sender. */
  readonly #senders = new Map<string, number>();
  #closed = false;

  constructor(
    core: Core,
    parts: { readonly cells: Cells; readonly intake: Intake; readonly lane: InternalLane },
  ) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#lane = parts.lane;
  }

  /** Resumes the messages that the last process did not deliver. */
  start(): void {
    let limit = BATCH;
    for (;;) {
      const rows = this.#core.store.outbox(limit);
      for (const row of rows) this.#enqueue(row);
      if (rows.length < limit) return;
      limit *= 2;
    }
  }

  /** Delivers the messages of a committed change. */
  follow({ outbox }: Committed): void {
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
    const key = keyOf(row);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#count(row.from, 1);
    const queue = this.#queues.get(row.to);
    if (queue !== undefined) {
      queue.push(row);
      return;
    }
    this.#queues.set(row.to, [row]);
    this.#drain(row.to).catch(() => undefined);
  }

  #count(from: string, change: 1 | -1): void {
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
          this.#known.delete(keyOf(row));
          this.#count(row.from, -1);
        },
        () => undefined,
      );
    }
    this.#queues.delete(to);
  }

  async #deliver(row: OutboxRow): Promise<Receipt> {
    const { to, event, from, fromSeq, trace } = row;
    const extra: Write[] = [{ del: 'outbox', row }];
    const cause = { by: 'actor', from, fromSeq } as const;
    if (event === undefined) return this.#create(row, extra);
    const incoming: Incoming = { event, cause, ...traced(trace) };
    return await this.#lane.deliver(to, incoming, {
      extra,
      nobody: (error) => this.#bury(row, incoming, error),
    });
  }

  #create(row: OutboxRow, extra: readonly Write[]): Receipt {
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
        const init: Incoming = { event: first, cause, ...traced(trace) };
        return quiet(this.#intake.create(definition, to, init, { extra }));
      }
      if (known.subject.definition.kind === kind) return quiet(this.#remove(extra));
      const message = `${to} has the kind ${known.subject.definition.kind}.`;
      throw new EngineError('ACTOR_KIND_CONFLICT', message);
    } catch (error) {
      return quiet(this.#bury(row, { event, cause }, error));
    }
  }

  async #bury(row: OutboxRow, incoming: Incoming, error: unknown): Promise<void> {
    const mark = `${row.from}:${row.fromSeq}:${row.n}`;
    const extra: Write[] = [{ del: 'outbox', row }];
    const dead = await this.#intake.undeliverable({ ...incoming, to: row.to, mark }, error, extra);
    this.#core.notice({
      kind: 'dead_letter',
      actorId: row.to,
      message: `${row.from} could not send ${incoming.event.type} to ${row.to}: ${dead.reason}`,
      deadLetterId: dead.deadLetterId,
      cause: error,
    });
  }

  #remove(writes: readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#core.committer.submit(writes, { done: resolve, failed: reject });
    });
  }
}

function quiet(committed: Promise<unknown>): Receipt {
  committed.catch(() => undefined);
  return { committed };
}

function traced(trace: string | undefined): { readonly trace?: string } {
  return trace === undefined ? {} : { trace };
}

function keyOf({ from, fromSeq, n }: OutboxRow): string {
  return `${from}\n${fromSeq}\n${n}`;
}
