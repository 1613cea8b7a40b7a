import { createHmac } from 'node:crypto';
import { defineAlertActor } from '../../src/actors/alert/alert-definition.ts';
import { type Alerts, createAlerts } from '../../src/actors/alert/alerts.ts';
import { defineNotice } from '../../src/actors/notification/notice-definition.ts';
import { defineWebhook } from '../../src/actors/notification/webhook-definition.ts';
import { WebhookFeed } from '../../src/actors/notification/webhook-feed.ts';
import {
  createWebhooks,
  deriveSecret,
  type Webhooks,
} from '../../src/actors/notification/webhooks.ts';
import { AppError } from '../../src/domain/common/error.ts';
import type { EventLog, PublicEvent } from '../../src/domain/event/event-log.ts';
import type { NoticeMessage, Notifier } from '../../src/domain/notification/notifier.ts';
import type { Definition } from '../../src/runtime/engine/types.ts';
import { ToldSources } from './alert-sources.ts';
import { EngineWorld, START } from './engine-world.ts';
import { createMemoryPrices } from './memory-prices.ts';
import { memoryShelf } from './shelf.ts';

/** A wallet that owns what the test defines. */
export const OWNER = `0x${'a1'.repeat(20)}`;
/** Somebody else's wallet. */
export const STRANGER = `0x${'b2'.repeat(20)}`;
const KEY = Buffer.alloc(32, 7);

/** A feed of events in memory, which a test appends to. */
export class EventsDouble implements Pick<EventLog, 'size' | 'read' | 'watch' | 'about'> {
  readonly rows: PublicEvent[] = [];
  readonly #listeners = new Set<() => void>();

  get size(): number {
    return this.rows.length;
  }

  read(fromSeq: number, limit: number): readonly PublicEvent[] {
    return this.rows.slice(fromSeq, fromSeq + limit);
  }

  about(): readonly PublicEvent[] {
    return [];
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of something that happened. */
  tell(type: string, subjects: readonly string[], ref = 'job_1'): void {
    const at = new Date(START).toISOString();
    this.rows.push({ seq: this.rows.length, at, type, ref, subjects, data: { price: '5' } });
    for (const listener of this.#listeners) listener();
  }
}

/** What was sent, and what is answered to it. */
export class NotifierDouble implements Notifier {
  readonly sent: { readonly message: NoticeMessage; readonly key: string }[] = [];
  missing: Notifier['missing'] = { email: [], whatsapp: [] };
  /** Throws in place of an answer. */
  failing: AppError | undefined;

  async send(message: NoticeMessage, { key }: { readonly key: string }): Promise<string> {
    this.sent.push({ message, key });
    if (this.failing !== undefined) throw this.failing;
    return '200';
  }
}

/** Alerts, notices and webhooks over an engine whose clock stands still until it is moved. */
export async function alertWorld() {
  const world = new EngineWorld(memoryShelf());
  const prices = createMemoryPrices();
  const events = new EventsDouble();
  const told = new ToldSources(() => world.clock.now());
  const { markets, feeds } = told;
  const notifier = new NotifierDouble();
  const log: string[] = [];
  const seal = (text: string): string => createHmac('sha256', KEY).update(text).digest('hex');
  const definitions: readonly Definition[] = [
    defineAlertActor({ prices, markets, feeds, events: events as unknown as EventLog }),
    defineNotice({ notifier }),
    defineWebhook(),
  ];
  const boot = async () => {
    const engine = await world.start(definitions);
    const { clock } = world;
    const feedLog = events as unknown as EventLog;
    const webhooks: Webhooks = createWebhooks({ engine, events: feedLog, notifier, seal, clock });
    const alerts: Alerts = createAlerts({
      engine,
      clock,
      prices,
      markets,
      feeds,
      events: feedLog,
      seal,
      requireWebhook: (id, owner) => webhooks.require(id, owner),
    });
    const notice = (line: string): void => void log.push(line);
    const feed = new WebhookFeed({ engine, events: feedLog, clock, notice });
    await feed.start();
    return { engine, alerts, webhooks, feed };
  };
  return {
    world,
    prices,
    told,
    events,
    notifier,
    log,
    seal,
    boot,
    clock: world.clock,
    secretOf: (webhookId: string) => deriveSecret(seal, webhookId),
    /** Sets the price of BTC/USD at kraken, as of now. */
    price: (value: string) => prices.set('BTC/USD', 'kraken', { value, asOf: world.clock.now() }),
    /** Lets a minute pass in which the price became this. */
    minuteAt: async (value: string) => {
      await world.clock.advance(1_000);
      prices.set('BTC/USD', 'kraken', { value, asOf: world.clock.now() });
      await world.clock.advance(59_000);
    },
    /** From now on the exchange does not answer. */
    silence: () => prices.set('BTC/USD', 'kraken', new AppError('EGRESS_TIMEOUT')),
  };
}
