import type { ActionOwner, CalledAction } from '../action/action-runner.ts';
import { runAction } from '../action/action-runner.ts';
import { failedStart } from '../child/child-result.ts';
import type { ActorCache } from '../engine/actor-cache.ts';
import type { ActorCell } from '../engine/actor-cell.ts';
import type { Incoming, Subject } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import type { DeliveryReceipt, InternalLane } from '../engine/internal-lane.ts';
import type { OutboxRow, ParentLink, Write } from '../engine/ports.ts';
import type { Cause, Definition, Ev } from '../engine/types.ts';
import type { Committed } from '../journal/recorder.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, read } from '../load/awaitable.ts';
import { Departed } from '../load/departed.ts';

/** Rows read from the store per batch. */
const BATCH = 1_000;

/** Parts of the engine that the outbox uses. */
export interface OutboxParts {
  readonly cells: ActorCache;
  readonly intake: Intake;
  readonly lane: InternalLane;
  readonly effects: { receive(token: string, event: Ev): void };
  readonly repeatStep: ActionOwner['repeatStep'];
}

/** Delivers the messages between actors exactly once, in order per receiver. */
export class Outbox {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;
  readonly #lane: InternalLane;
  readonly #effects: OutboxParts['effects'];
  readonly #repeatStep: OutboxParts['repeatStep'];
  readonly #queues = new Map<string, OutboxRow[]>();
  /** Keys of rows that are queued, or delivered and still in the store. */
  readonly #known = new Departed();
  /** Number of undelivered messages per sender. */
  readonly #senders = new Map<string, number>();
  #started = false;
  #closed = false;

  constructor(core: Core, parts: OutboxParts) {
    this.#core = core;
    this.#cells = parts.cells;
    this.#intake = parts.intake;
    this.#lane = parts.lane;
    this.#effects = parts.effects;
    this.#repeatStep = parts.repeatStep;
  }

  /** Resumes the messages that the last process did not deliver. */
  *start(): Reading<void> {
    this.#started = true;
    let limit = BATCH;
    for (;;) {
      const count = yield* read(
        this.#known.during(this.#core.store.outbox(limit), (rows) => {
          for (const row of rows) this.#enqueue(row);
          return rows.length;
        }),
      );
      if (count < limit || this.#closed) return;
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
    const lane = toLane(row);
    const queue = this.#queues.get(lane);
    if (queue !== undefined) {
      queue.push(row);
      return;
    }
    this.#queues.set(lane, [row]);
    this.#drain(lane).catch(() => undefined);
  }

  #updateCount(from: string, change: 1 | -1): void {
    const left = (this.#senders.get(from) ?? 0) + change;
    if (left === 0) this.#senders.delete(from);
    else this.#senders.set(from, left);
  }

  async #drain(lane: string): Promise<void> {
    const queue = this.#queues.get(lane) ?? [];
    while (!this.#closed && queue[0] !== undefined) {
      const row = queue[0];
      const { committed } = await this.#deliver(row);
      queue.shift();
      committed.then(
        () => {
          this.#known.settle(toKey(row));
          this.#updateCount(row.from, -1);
        },
        () => undefined,
      );
    }
    this.#queues.delete(lane);
  }

  #deliver(row: OutboxRow): Awaitable<DeliveryReceipt> {
    const { to, from, create, call } = row;
    if (call !== undefined) return this.#act({ ...row, call });
    const parent = create?.parent;
    // An event for an effect of the sender, which runs, needs no row.
    const ids = row.effect === undefined ? [to] : [];
    return this.#cells.prepare({ ids: parent === undefined ? ids : [to, parent.id] }, () =>
      this.#hand(row, { by: 'actor', from, fromSeq: row.fromSeq }),
    );
  }

  async #act(row: CalledAction): Promise<DeliveryReceipt> {
    const { from } = row;
    const found = this.#cells.prepare({ ids: [from] }, () => this.#findSubject(from));
    const subject = isPromise(found) ? await found : found;
    await runAction(this.#core, { subject, repeatStep: this.#repeatStep }, row);
    return toReceipt(this.#remove([{ del: 'outbox', row }]));
  }

  /** Hands a message to its receiver. */
  #hand(row: OutboxRow, cause: Cause): Awaitable<DeliveryReceipt> {
    const { to, event, trace } = row;
    const extra: Write[] = [{ del: 'outbox', row }];
    if (row.create !== undefined) return this.#create(row, row.create, extra);
    if (row.child !== undefined && !this.#isChild(to, row.child.token)) {
      return toReceipt(this.#remove(extra));
    }
    if (event === undefined) return this.#stop(to, extra);
    if (row.effect !== undefined) {
      this.#effects.receive(row.effect.token, event);
      return toReceipt(this.#remove(extra));
    }
    const incoming: Incoming = { event, cause, ...traceFields(trace) };
    if (row.result !== undefined) return this.#deliverResult(row, row.result, incoming);
    if (row.snapshot !== undefined) return this.#deliverSnapshot(row, row.snapshot, incoming);
    return this.#lane.deliver(to, incoming, {
      extra,
      onUndeliverable: (error) =>
        row.isRelative === true ? this.#remove(extra) : this.#deadLetter(row, incoming, error),
    });
  }

  /** Ends the row of a child in its parent, if the parent still waits for it. */
  async #deliverResult(
    row: OutboxRow,
    { childId, token }: NonNullable<OutboxRow['result']>,
    { event }: Incoming,
  ): Promise<DeliveryReceipt> {
    const extra: Write[] = [{ del: 'outbox', row }];
    const cause = { by: 'effect', token, attempt: 0 } as const;
    const incoming: Incoming = { event, cause, childId, ...traceFields(row.trace) };
    return await this.#lane.deliver(row.to, incoming, {
      isCurrent: (state) => state.effects.get(childId)?.token === token,
      extra,
      onUndeliverable: () => this.#remove(extra),
    });
  }

  /** Gives a parent a snapshot of its child while it has the child. */
  async #deliverSnapshot(
    row: OutboxRow,
    { childId, token }: NonNullable<OutboxRow['snapshot']>,
    incoming: Incoming,
  ): Promise<DeliveryReceipt> {
    const extra: Write[] = [{ del: 'outbox', row }];
    return await this.#lane.deliver(row.to, incoming, {
      isCurrent: (state) => state.effects.get(childId)?.token === token,
      extra,
      onUndeliverable: () => this.#remove(extra),
    });
  }

  #findSubject(id: string): Subject | undefined {
    try {
      return this.#cells.find(id)?.subject;
    } catch {
      return undefined;
    }
  }

  #isChild(id: string, token: string): boolean {
    const cell = this.#cells.find(id);
    return cell?.subject.parent?.token === token && cell.live.snapshot.status === 'active';
  }

  #stop(id: string, extra: readonly Write[]): DeliveryReceipt {
    const cell = this.#cells.get(id);
    return toReceipt(this.#intake.stop(cell, { extra, isStoppedByParent: true }));
  }

  #create(
    row: OutboxRow,
    create: NonNullable<OutboxRow['create']>,
    extra: readonly Write[],
  ): DeliveryReceipt {
    const { to, from, fromSeq, trace } = row;
    const { kind, input, parent } = create;
    const cause = { by: 'actor', from, fromSeq } as const;
    try {
      const definition = this.#findKind(kind, parent);
      if (definition === undefined) {
        throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`);
      }
      const known = this.#cells.find(to);
      const init: Incoming = {
        event: { type: 'xstate.init', input },
        cause,
        ...traceFields(trace),
      };
      if (known === undefined) {
        const options = parent === undefined ? { extra } : { extra, parent };
        return toReceipt(this.#intake.create(definition, to, init, options));
      }
      if (parent !== undefined && isEarlierChild(known, parent)) {
        return toReceipt(this.#intake.restart(known, { definition, parent }, init, extra));
      }
      if (known.subject.definition.kind === kind && known.subject.parent?.token === parent?.token)
        return toReceipt(this.#remove(extra));
      const message = `${to} has the kind ${known.subject.definition.kind}.`;
      throw new EngineError('ACTOR_KIND_CONFLICT', message);
    } catch (error) {
      const event = { type: 'actor.create', kind, input };
      const failed =
        parent === undefined
          ? this.#deadLetter(row, { event, cause }, error)
          : this.#failStart(row, parent, error as EngineError);
      return toReceipt(failed);
    }
  }

  /** A child has the version that its parent was defined with. */
  #findKind(kind: string, parent: ParentLink | undefined): Definition | undefined {
    const owner = parent === undefined ? undefined : this.#findSubject(parent.id)?.definition;
    const children = Object.values(owner?.children ?? {});
    return children.find((child) => child.kind === kind) ?? this.#core.definitions.get(kind);
  }

  /** Gives the parent the error of a child that could not start. */
  async #failStart(row: OutboxRow, parent: ParentLink, error: EngineError): Promise<void> {
    const { event, result } = failedStart(parent, error);
    if (event === undefined || result === undefined) return;
    const incoming: Incoming = {
      event,
      cause: { by: 'actor', from: row.from, fromSeq: row.fromSeq },
    };
    const { committed } = await this.#deliverResult({ ...row, to: parent.id }, result, incoming);
    await committed;
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

/** Returns whether an actor is an earlier child in the same place, which has ended. */
function isEarlierChild({ subject, live }: ActorCell, { id, childId, token }: ParentLink): boolean {
  const { parent } = subject;
  const isSamePlace = parent?.id === id && parent.childId === childId;
  return isSamePlace && parent.token !== token && live.snapshot.status !== 'active';
}

function toReceipt(committed: Promise<unknown>): DeliveryReceipt {
  committed.catch(() => undefined);
  return { committed };
}

function traceFields(trace: string | undefined): { readonly trace?: string } {
  return trace === undefined ? {} : { trace };
}

/** Actions of an actor run one after the other, and hold up no message to it. */
function toLane({ to, call }: OutboxRow): string {
  return call === undefined ? to : `${to}\naction`;
}

function toKey({ from, fromSeq, n }: OutboxRow): string {
  return `${from}\n${fromSeq}\n${n}`;
}
