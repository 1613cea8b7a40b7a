import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PublicEvent } from '../../domain/event/event-log.ts';
import {
  isAboutSubjects,
  isSubscribed,
  type WebhookContext,
} from '../../machines/notification/webhook-context.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { webhookKind } from './webhook-definition.ts';

/** Number of events read at once. */
const BATCH_SIZE = 256;
/** Wait before a failed run is retried, in milliseconds. */
export const FEED_RETRY_MS = 10 * SECOND_MS;

type Ports = Pick<Services, 'clock' | 'engine' | 'events' | 'notice'>;

/** A webhook with the first event sequence number that it has not seen. */
interface WebhookCursor {
  readonly hook: Pick<WebhookContext, 'events' | 'about'>;
  next: number;
}

/**
 * Delivers public events to matching webhooks. Each webhook stores its cursor in the same commit as
 * the delivery, so that an event delivered again after a crash is accepted once.
 */
export class WebhookFeed {
  readonly #parts: Ports;
  readonly #cursors = new Map<string, WebhookCursor>();
  #cursor = 0;
  #run: Promise<void> | undefined;
  #isDirty = false;
  #isStopped = false;
  #cancelRetry: () => void = () => undefined;
  readonly #cleanups: (() => void)[] = [];

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /** Starts at the cursor of the webhook that is furthest behind. */
  async start(): Promise<void> {
    const { engine, events } = this.#parts;
    this.#cursor = events.size;
    this.#cleanups.push(
      engine.watchList(({ before, after }) => {
        const row = after ?? before;
        if (row?.kind === webhookKind.kind) this.#refresh(row.id);
      }),
    );
    const { rows } = await engine.list({ kind: webhookKind.kind, state: 'active', limit: 1_000 });
    for (const { id } of rows) await this.#loadWebhook(id);
    this.#cleanups.push(events.watch(() => this.#wake()));
    this.#wake();
  }

  /** Stops after the current run and stores the cursors. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry();
    for (const end of this.#cleanups) end();
    await this.#run;
    await this.#storeCursors();
  }

  #refresh(id: string): void {
    this.#loadWebhook(id).catch((thrown: unknown) => {
      this.#parts.notice(`webhooks: ${toAppError(thrown).message}`);
    });
  }

  async #loadWebhook(id: string): Promise<void> {
    try {
      const view = await this.#parts.engine.of(webhookKind).view(id);
      if (view.value !== 'active') {
        this.#cursors.delete(id);
        return;
      }
      const hook = view.context;
      const known = this.#cursors.get(id);
      if (known !== undefined) {
        known.next = Math.max(known.next, hook.seq);
        return;
      }
      this.#cursors.set(id, { hook, next: hook.seq });
      if (hook.seq < this.#cursor) this.#cursor = hook.seq;
      this.#wake();
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_UNKNOWN')) throw thrown;
      this.#cursors.delete(id);
    }
  }

  #wake(): void {
    if (this.#isStopped) return;
    this.#isDirty = true;
    if (this.#run !== undefined) return;
    this.#cancelRetry();
    this.#run = this.#readToEnd()
      .catch((thrown: unknown) => this.#retryLater(thrown))
      .finally(() => {
        this.#run = undefined;
      });
  }

  async #readToEnd(): Promise<void> {
    while (!this.#isStopped && this.#isDirty) {
      this.#isDirty = false;
      await this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    const { events } = this.#parts;
    for (;;) {
      const rows = events.read(this.#cursor, BATCH_SIZE);
      if (rows.length === 0 || this.#isStopped) return;
      for (const row of rows) {
        // A new webhook may have moved the cursor back meanwhile.
        if (row.seq !== this.#cursor) break;
        await this.#deliver(row);
        if (this.#cursor === row.seq) this.#cursor = row.seq + 1;
      }
      if (rows.length === BATCH_SIZE) await this.#storeCursors();
    }
  }

  async #deliver(row: PublicEvent): Promise<void> {
    const { engine } = this.#parts;
    const { seq, type: event, at, ref, subjects, data } = row;
    for (const [id, follower] of this.#cursors) {
      if (seq < follower.next) continue;
      const { hook } = follower;
      if (isSubscribed(hook.events, event) && isAboutSubjects(hook.about, subjects)) {
        const payload = { event, key: `event:${seq}`, at, data: { seq, ref, subjects, ...data } };
        await engine.tell(id, { type: 'WEBHOOK.PUBLIC', seq, subjects, ...payload });
      }
      follower.next = seq + 1;
    }
  }

  /**
   * Advances the stored cursors of webhooks without matches; otherwise a start rereads all events.
   */
  async #storeCursors(): Promise<void> {
    const webhooks = this.#parts.engine.of(webhookKind);
    for (const [id, { next }] of this.#cursors) {
      const { context } = await webhooks.view(id);
      if (context.seq < next) await webhooks.tell(id, { type: 'WEBHOOK.PASSED', seq: next });
    }
  }

  #retryLater(thrown: unknown): void {
    const { clock, notice } = this.#parts;
    notice(`webhooks: ${toAppError(thrown).message}`);
    if (this.#isStopped) return;
    this.#cancelRetry = clock.at(clock.now() + FEED_RETRY_MS, () => this.#wake());
  }
}
