import { defineAlertActor } from '../../actors/alert/alert-definition.ts';
import { createAlerts } from '../../actors/alert/alerts.ts';
import { type HealthCheck, watchHealth } from '../../actors/notification/health-watch.ts';
import { defineNotice } from '../../actors/notification/notice-definition.ts';
import { OperatorNotices } from '../../actors/notification/operator-notices.ts';
import { defineWebhook } from '../../actors/notification/webhook-definition.ts';
import { WebhookFeed } from '../../actors/notification/webhook-feed.ts';
import { createWebhooks, deriveSecret } from '../../actors/notification/webhooks.ts';
import { findPayment } from '../../actors/payment/record.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { EventLog } from '../../domain/event/event-log.ts';
import type { MarketBooks, MarketCandles } from '../../domain/market/markets.ts';
import type { PriceSource } from '../../domain/market/price-source.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { Notifier } from '../../domain/notification/notifier.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import { shareFeeds, shareMarkets } from '../../providers/data/shared-answers.ts';
import { createNotifier } from '../../providers/notification/notifier.ts';
import type { NotificationSettings } from '../../providers/notification/settings.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';
import type { EngineStore, RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { AlertToolDeps } from '../../tools/alert/oracle_alert-generator.ts';
import { alertRoutes } from '../../transport/alert/alert-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { webhookRoutes } from '../../transport/notification/webhook-routes.ts';
import { openKeyedHash } from '../server/secret-key.ts';

/** The dependencies of notifications. */
export interface NotificationDeps {
  readonly dataDir: string;
  readonly egress: EgressPort;
  readonly clock: RuntimeClock;
  readonly settings: NotificationSettings;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** How the operator and webhooks are notified. */
export interface Notifications {
  readonly notifier: Notifier;
  readonly operator: OperatorNotices;
  /** Hash with the key of this server. */
  readonly seal: (text: string) => string;
}

/**
 * Creates the notifications of the operator and of webhooks.
 *
 * @throws {AppError} `CONFIG_INVALID` when the key file is damaged.
 */
export function createNotifications(parts: NotificationDeps): Notifications {
  const { dataDir, egress, clock, notice, settings } = parts;
  const seal = openKeyedHash(dataDir);
  const notifier = createNotifier({
    settings,
    egress,
    secretOf: (webhookId) => deriveSecret(seal, webhookId),
    now: clock.now,
  });
  return { seal, notifier, operator: new OperatorNotices({ notifier, clock, log: notice }) };
}

/** The dependencies of alerts, notices and webhooks. */
export interface AlertDeps extends Notifications {
  readonly clock: RuntimeClock;
  readonly events: EventLog;
  readonly prices: PriceSource;
  readonly markets: MarketBooks & MarketCandles;
  readonly feeds: FeedReader;
  readonly wallets: WalletAuth;
  readonly limitLocal: boolean;
  /** Checks whose failure notifies the operator. */
  readonly checks: readonly HealthCheck[];
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** Running alerts, notices and webhooks. */
export interface RunningAlerts {
  readonly routes: readonly FrontRoute[];
  readonly tool: AlertToolDeps & { readonly alerts: ReturnType<typeof createAlerts> };
  stop(): Promise<void>;
}

/** The dependencies of the health checks. */
export interface HealthDeps {
  readonly chain: Pick<PaymentChain, 'facts' | 'balance'>;
  readonly store: { readonly engine: Pick<EngineStore, 'hasRoom'> };
  balances(): Promise<JsonObject>;
}

/** Creates the checks whose failure is a `P0`: disk, chain, and solvency. */
export function healthChecks({ chain, store, balances }: HealthDeps): readonly HealthCheck[] {
  return [
    {
      part: 'store',
      run: async () =>
        store.engine.hasRoom() ? undefined : 'The disk reserve is reached; new work is rejected.',
    },
    {
      part: 'chain',
      run: async () => {
        await chain.balance(chain.facts.treasury);
        return undefined;
      },
    },
    {
      part: 'solvency',
      run: async () =>
        (await isSolvent(balances))
          ? undefined
          : 'The escrow holds less than the open jobs need. See /a2a/treasury/balances.',
    },
  ];
}

/**
 * Returns whether the escrow covers the open jobs. True while the chain does not respond, as
 * another check reports that.
 */
export async function isSolvent(balances: HealthDeps['balances']): Promise<boolean> {
  const held = await balances().catch(() => undefined);
  return held?.['solvent'] !== false;
}

/** Opens alerts, notices and webhooks. */
export async function openAlerts(
  { engine, define }: EngineSetup,
  parts: AlertDeps,
): Promise<RunningAlerts> {
  const { clock, events, notifier, seal, operator, notice, wallets, limitLocal, checks } = parts;
  const sources = {
    prices: parts.prices,
    events,
    markets: shareMarkets(parts.markets, clock),
    feeds: shareFeeds(parts.feeds, clock),
  };
  define(defineAlertActor(sources), defineNotice({ notifier }), defineWebhook());
  const nowText = (): string => new Date(clock.now()).toISOString();
  const webhooks = createWebhooks({ engine, events, notifier, seal, nowText });
  const alerts = createAlerts({
    ...sources,
    engine,
    clock,
    seal,
    requireWebhook: (webhookId, owner) => webhooks.require(webhookId, owner),
  });
  const feed = new WebhookFeed({ engine, events, clock, notice });
  await feed.start();
  const stopNotices = operator.start(engine);
  const stopWatch = canNotify(notifier)
    ? watchHealth({ checks, clock: systemClock(), operator })
    : async () => undefined;
  const onFault = (error: AppError): void => notice(`alerts: ${error.message}`);
  const shared = { clock, limitsLocalCallers: limitLocal, onFault };
  return {
    routes: [
      ...alertRoutes({ ...shared, alerts }),
      ...webhookRoutes({ ...shared, webhooks, wallets }),
    ],
    tool: {
      alerts,
      payerOf: async (paymentId) =>
        (await findPayment(engine, paymentId))?.record.payer.toLowerCase(),
    },
    stop: async () => {
      stopNotices();
      await stopWatch();
      await feed.stop();
    },
  };
}

/** Returns whether any notice can be delivered. Otherwise health checks would be pointless. */
function canNotify({ missing }: Notifier): boolean {
  return Object.values(missing).some((names) => names.length === 0);
}
