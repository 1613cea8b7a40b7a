import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { EventLog, PublicEvent } from '../../domain/event/event-log.ts';
import { concerns, type WebhookContext, wants } from '../../machines/notification/webhook-facts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { WEBHOOK_KIND } from './webhook-definition.ts';
import { webhookOf } from './webhooks.ts';

/** Number of events read at once. */
const BATCH = 256;
/** Wait before a failed run is retried, in milliseconds. */
export const FEED_RETRY_MS = 10 * SECOND_MS;

/** Dependencies of the webhook feed. */
export interface WebhookFeedParts {
  readonly engine: ActorEngine;
  readonly events: EventLog;
  readonly clock: Clock;
  /** Receives log lines for the operator. */
  readonly notice: (line: string) => void;
}

/** A webhook with the first event sequence number that it has not seen. */
interface Follower {
  readonly hook: Pick<WebhookContext, 'events' | 'about'>;
  next: number;
}

/**
 * Delivers public events to matching webhooks. Each webhook stores its cursor in the same commit as
 * the delivery, so that an event delivered again after a crash is accepted once.
 */
export class WebhookFeed {
  readonly #parts: WebhookFeedParts;
  readonly #followers = new Map<string, Follower>();
  #at = 0;
  #run: Promise<void> | undefined;
  #isDirty = false;
  #isStopped = false;
  #cancelRetry: () => void = () => undefined;
  readonly #endings: (() => void)[] = [];

  constructor(parts: WebhookFeedParts) {
    this.#parts = parts;
  }

  /** Starts at the cursor of the webhook that is furthest behind. */
  async start(): Promise<void> {
    const { engine, events } = this.#parts;
    this.#at = events.size;
    this.#endings.push(
      engine.watchList(({ before, after }) => {
        const row = after ?? before;
        if (row?.kind === WEBHOOK_KIND) this.#take(row.id);
      }),
    );
    const { rows } = await engine.list({ kind: WEBHOOK_KIND, state: 'active', limit: 1_000 });
    for (const { id } of rows) await this.#look(id);
    this.#endings.push(events.watch(() => this.#wake()));
    this.#wake();
  }

  /** Stops after the current run and stores the cursors. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry();
    for (const end of this.#endings) end();
    await this.#run;
    await this.#keepPlaces();
  }

  #take(id: string): void {
    this.#look(id).catch((thrown: unknown) => {
      this.#parts.notice(`webhooks: ${toAppError(thrown).message}`);
    });
  }

  async #look(id: string): Promise<void> {
    try {
      const view = await this.#parts.engine.view(id);
      if (view.value !== 'active') {
        this.#followers.delete(id);
        return;
      }
      const hook = webhookOf(view);
      const known = this.#followers.get(id);
      if (known !== undefined) {
        known.next = Math.max(known.next, hook.seq);
        return;
      }
      this.#followers.set(id, { hook, next: hook.seq });
      if (hook.seq < this.#at) this.#at = hook.seq;
      this.#wake();
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_UNKNOWN')) throw thrown;
      this.#followers.delete(id);
    }
  }

  #wake(): void {
    if (this.#isStopped) return;
    this.#isDirty = true;
    if (this.#run !== undefined) return;
    this.#cancelRetry();
    this.#run = this.#readOn()
      .catch((thrown: unknown) => this.#retryLater(thrown))
      .finally(() => {
        this.#run = undefined;
      });
  }

  async #readOn(): Promise<void> {
    while (!this.#isStopped && this.#isDirty) {
      this.#isDirty = false;
      await this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    const { events } = this.#parts;
    for (;;) {
      const rows = events.read(this.#at, BATCH);
      if (rows.length === 0 || this.#isStopped) return;
      for (const row of rows) {
        // A new webhook may have moved the cursor back meanwhile.
        if (row.seq !== this.#at) break;
        await this.#tell(row);
        if (this.#at === row.seq) this.#at = row.seq + 1;
      }
      if (rows.length === BATCH) await this.#keepPlaces();
    }
  }

  async #tell(row: PublicEvent): Promise<void> {
    const { engine } = this.#parts;
    const { seq, type: event, at, ref, subjects, data } = row;
    for (const [id, follower] of this.#followers) {
      if (seq < follower.next) continue;
      const { hook } = follower;
      if (wants(hook.events, event) && concerns(hook.about, subjects)) {
        const told = { event, key: `event:${seq}`, at, data: { seq, ref, subjects, ...data } };
        await engine.tell(id, { type: 'WEBHOOK.PUBLIC', seq, subjects, ...told });
      }
      follower.next = seq + 1;
    }
  }

  /**
   * Advances the stored cursors of webhooks without matches; otherwise a start rereads all events.
   */
  async #keepPlaces(): Promise<void> {
    const { engine } = this.#parts;
    for (const [id, { next }] of this.#followers) {
      const view = await engine.view(id);
      if (webhookOf(view).seq < next) await engine.tell(id, { type: 'WEBHOOK.PASSED', seq: next });
    }
  }

  #retryLater(thrown: unknown): void {
    const { clock, notice } = this.#parts;
    notice(`webhooks: ${toAppError(thrown).message}`);
    if (this.#isStopped) return;
    this.#cancelRetry = clock.at(clock.now() + FEED_RETRY_MS, () => this.#wake());
  }
}
