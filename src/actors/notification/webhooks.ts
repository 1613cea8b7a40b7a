import { AppError } from '../../domain/common/error.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { WebhookOrder, WebhookView } from '../../domain/notification/webhook-view.ts';
import type { WebhookInput } from '../../machines/notification/webhook-context.ts';
import type { ActorEngine, ViewOf } from '../../runtime/engine/types.ts';
import { findOfKind } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import { webhookKind } from './webhook-definition.ts';

/** Maximum number of webhooks per wallet and in total. */
export const WEBHOOKS_MAX = { owner: 10, total: 1_000 } as const;
/** Consecutive failed deliveries after which a webhook is disabled. */
export const FAILURES_MAX = 5;

const WEBHOOK_ID = /^wh_[0-9a-f]{40}$/;

type Ports = Pick<Services, 'clock' | 'engine' | 'events' | 'notifier' | 'seal'>;

/** Webhooks of this server. Only the owner can change one; callers are authenticated before. */
export interface Webhooks {
  /**
   * Registers a URL after it has answered a ping. Repeating the signed call returns the same
   * webhook.
   *
   * @returns The webhook, with the secret that signs its deliveries. The secret is returned nowhere
   *   else.
   * @throws {AppError} `EGRESS_…` if the ping fails, `RATE_LIMITED`, `OVERLOADED`
   */
  register(order: WebhookOrder, by: WalletCall): Promise<WebhookView & { readonly secret: string }>;
  /** @throws {AppError} `WEBHOOK_UNKNOWN` */
  read(webhookId: string): Promise<WebhookView>;
  /** Enables a disabled webhook. Events since it was disabled are not delivered. */
  enable(webhookId: string, by: WalletCall): Promise<WebhookView>;
  /** @throws {AppError} `WEBHOOK_UNKNOWN`, `NOT_THE_PARTY` */
  remove(webhookId: string, by: WalletCall): Promise<WebhookView>;
  /** @throws {AppError} `WEBHOOK_UNKNOWN` unless it exists and belongs to the owner. */
  require(webhookId: string, owner: string): Promise<void>;
}

/** Derives the signing secret of a webhook from its id, so that no secret is stored. */
export function deriveSecret(seal: Services['seal'], webhookId: string): string {
  return `whsec_${seal(`webhook secret|${webhookId}`)}`;
}

/** Creates webhooks that are stored as actors. */
export function createWebhooks(parts: Ports): Webhooks {
  const { engine } = parts;
  const requireOwned = async (webhookId: string, wallet: string): Promise<WebhookActorView> => {
    const view = await requireWebhookView(engine, webhookId);
    if (view.context.owner === wallet) return view;
    throw new AppError('NOT_THE_PARTY', { data: { received: wallet, allowed: 'its owner' } });
  };
  const sendEvent = async (id: string, event: Parameters<ActorEngine['tell']>[1]) => {
    await engine.tell(id, event);
    return createWebhookView(await requireWebhookView(engine, id));
  };
  return {
    register: (order, by) => register(parts, order, by),
    read: async (webhookId) => createWebhookView(await requireWebhookView(engine, webhookId)),
    enable: async (webhookId, { wallet }) => {
      await requireOwned(webhookId, wallet);
      return sendEvent(webhookId, { type: 'WEBHOOK.ENABLED', seq: parts.events.size });
    },
    remove: async (webhookId, { wallet }) => {
      await requireOwned(webhookId, wallet);
      return sendEvent(webhookId, { type: 'WEBHOOK.REMOVED' });
    },
    require: async (webhookId, owner) => {
      const view = await requireWebhookView(engine, webhookId);
      if (view.context.owner !== owner || webhookState(view) === 'removed')
        throw unknownWebhookError(webhookId);
    },
  };
}

/** The committed state of a webhook. */
type WebhookActorView = ViewOf<typeof webhookKind.machine>;

async function register(
  parts: Ports,
  { url, events, about }: WebhookOrder,
  by: WalletCall,
): ReturnType<Webhooks['register']> {
  const { engine, seal } = parts;
  const webhookId = `wh_${seal(`webhook|${by.wallet}|${by.key}`).slice(0, 40)}`;
  const secret = deriveSecret(seal, webhookId);
  const known = await findOfKind(engine, webhookId, webhookKind);
  if (known !== undefined) return { ...createWebhookView(known), secret };
  await assertWebhookLimits(engine, by.wallet);
  await pingUrl(parts, { webhookId, url });
  const input: WebhookInput = {
    webhookId,
    owner: by.wallet,
    url,
    events,
    about: about?.map((one) => one.toLowerCase()) ?? [by.wallet],
    seq: parts.events.size,
    failuresMax: FAILURES_MAX,
  };
  await engine.of(webhookKind).create(webhookId, input);
  return { ...createWebhookView(await requireWebhookView(engine, webhookId)), secret };
}

/**
 * Registers only URLs that answer a ping, so that nobody can direct deliveries at a third party.
 */
async function pingUrl(
  { clock, notifier }: Ports,
  { webhookId, url }: { readonly webhookId: string; readonly url: string },
): Promise<void> {
  const [event, deliveryId] = ['webhook.ping', `${webhookId}:ping`];
  const body = JSON.stringify({ event, key: deliveryId, at: toIsoTime(clock.now()), data: {} });
  const message = { kind: 'webhook', webhookId, url, event, deliveryId, body } as const;
  await notifier.send(message, { key: deliveryId, signal: new AbortController().signal });
}

async function assertWebhookLimits(engine: ActorEngine, wallet: string): Promise<void> {
  const { rows } = await engine.list({ kind: webhookKind.kind, status: 'active', limit: 1_000 });
  if (rows.filter(({ state }) => state !== 'removed').length >= WEBHOOKS_MAX.total) {
    throw new AppError('OVERLOADED', { message: 'The server has reached its webhook limit.' });
  }
  let own = 0;
  for (const { id, state } of rows) {
    if (state === 'removed') continue;
    if ((await engine.of(webhookKind).view(id)).context.owner === wallet) own += 1;
  }
  if (own < WEBHOOKS_MAX.owner) return;
  throw new AppError('RATE_LIMITED', {
    message: `You have ${own} webhooks; the limit is ${WEBHOOKS_MAX.owner}. Delete one first.`,
    data: { received: own, allowed: WEBHOOKS_MAX.owner },
  });
}

function createWebhookView(view: WebhookActorView): WebhookView {
  const { webhookId, events, told, taken, failures } = view.context;
  const state = webhookState(view);
  return {
    webhook_id: webhookId,
    state: state === 'active' || state === 'disabled' ? state : 'removed',
    events: [...events],
    created_at: new Date(view.createdAt).toISOString(),
    told,
    taken,
    failures,
    disabled_at_failures: FAILURES_MAX,
  };
}

function webhookState({ value }: WebhookActorView): string {
  return typeof value === 'string' ? value : '';
}

async function requireWebhookView(
  engine: ActorEngine,
  webhookId: string,
): Promise<WebhookActorView> {
  const isId = WEBHOOK_ID.test(webhookId);
  const view = isId ? await findOfKind(engine, webhookId, webhookKind) : undefined;
  if (view === undefined) throw unknownWebhookError(webhookId);
  return view;
}

function unknownWebhookError(received: string): AppError {
  return new AppError('WEBHOOK_UNKNOWN', { data: { received: received.slice(0, 80) } });
}
