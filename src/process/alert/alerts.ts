import { defineAlertActor } from '../../actors/alert/alert-definition.ts';
import { createAlerts } from '../../actors/alert/alerts.ts';
import type { Services } from '../../actors/common/services.ts';
import { type HealthCheck, watchHealth } from '../../actors/notification/health-watch.ts';
import { defineNotice } from '../../actors/notification/notice-definition.ts';
import { OperatorNotices } from '../../actors/notification/operator-notices.ts';
import { defineWebhook } from '../../actors/notification/webhook-definition.ts';
import { WebhookFeed } from '../../actors/notification/webhook-feed.ts';
import { createWebhooks, deriveSecret } from '../../actors/notification/webhooks.ts';
import { findPayment } from '../../actors/payment/record.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { Notifier } from '../../domain/notification/notifier.ts';
import { shareFeeds, shareMarkets } from '../../providers/data/shared-answers.ts';
import { createNotifier } from '../../providers/notification/notifier.ts';
import type { EngineStore } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { AlertToolDeps } from '../../tools/alert/oracle_alert-generator.ts';
import { alertRoutes } from '../../transport/alert/alert-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { webhookRoutes } from '../../transport/notification/webhook-routes.ts';
import { createSealer } from '../server/sealer.ts';
import { openKeyedHash } from '../server/secret-key.ts';
import type { ServerServices } from '../server/services.ts';

/**
 * Creates the notifications of the operator and of webhooks.
 *
 * @throws {AppError} `CONFIG_INVALID` when the key file is damaged.
 */
export function createNotifications({
  config,
  egress,
  clock,
  notice,
}: Pick<ServerServices, 'config' | 'egress' | 'clock' | 'notice'>): Pick<
  ServerServices,
  'notifier' | 'operator' | 'seal' | 'sealer'
> {
  const seal = openKeyedHash(config.dataDir);
  const sealer = createSealer(Buffer.from(seal('headers of push notifications v1'), 'hex'));
  const notifier = createNotifier({
    settings: config.notify,
    egress,
    secretOf: (webhookId) => deriveSecret(seal, webhookId),
    sealer,
    now: clock.now,
  });
  return { seal, sealer, notifier, operator: new OperatorNotices({ notifier, clock, notice }) };
}

/** Running alerts, notices and webhooks. */
export interface RunningAlerts {
  readonly routes: readonly FrontRoute[];
  readonly tool: AlertToolDeps & { readonly alerts: ReturnType<typeof createAlerts> };
}

/** Creates the checks whose failure is a `P0`: disk, chain, and solvency. */
export function healthChecks(
  {
    chain,
    store,
  }: Pick<Services, 'chain'> & {
    readonly store: { readonly engine: Pick<EngineStore, 'hasRoom'> };
  },
  balances: () => Promise<JsonObject>,
): readonly HealthCheck[] {
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
export async function isSolvent(balances: () => Promise<JsonObject>): Promise<boolean> {
  const held = await balances().catch(() => undefined);
  return held?.['solvent'] !== false;
}

/** Opens alerts, notices and webhooks. The checks notify the operator when they fail. */
export async function openAlerts(
  services: Pick<
    ServerServices,
    | 'config'
    | 'closers'
    | 'clock'
    | 'define'
    | 'engine'
    | 'events'
    | 'feeds'
    | 'markets'
    | 'notice'
    | 'notifier'
    | 'operator'
    | 'prices'
    | 'seal'
    | 'wallets'
  >,
  checks: readonly HealthCheck[],
): Promise<RunningAlerts> {
  const { clock, closers, config, engine, notice, notifier, operator, wallets } = services;
  const sources = {
    ...services,
    markets: shareMarkets(services.markets, clock),
    feeds: shareFeeds(services.feeds, clock),
  };
  services.define(defineAlertActor(sources), defineNotice({ notifier }), defineWebhook());
  const webhooks = createWebhooks(services);
  const alerts = createAlerts({
    ...sources,
    requireWebhook: (webhookId, owner) => webhooks.require(webhookId, owner),
  });
  const feed = new WebhookFeed(services);
  await feed.start();
  const stopNotices = operator.start(engine);
  const stopWatch = canNotify(notifier)
    ? watchHealth({ checks, clock: systemClock(), operator })
    : async () => undefined;
  closers.add(async () => {
    stopNotices();
    await stopWatch();
    await feed.stop();
  });
  const onFault = (error: AppError): void => notice(`alerts: ${error.message}`);
  const shared = { clock, limitsLocalCallers: config.limitLocal, onFault };
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
  };
}

/** Returns whether any notice can be delivered. Otherwise health checks would be pointless. */
function canNotify({ missing }: Notifier): boolean {
  return Object.values(missing).some((names) => names.length === 0);
}
