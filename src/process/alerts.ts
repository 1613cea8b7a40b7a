import { createAlerts } from '../actors/alerts/alerts.ts';
import { defineAlertActor } from '../actors/alerts/definition.ts';
import { defineNotice } from '../actors/notices/definition.ts';
import { OperatorNotices } from '../actors/notices/operator.ts';
import { findPayment } from '../actors/payments/record.ts';
import { defineWebhook } from '../actors/webhooks/definition.ts';
import { WebhookFeed } from '../actors/webhooks/feed.ts';
import { createWebhooks, secretOf } from '../actors/webhooks/webhooks.ts';
import type { AppError } from '../domain/error.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { Notifier } from '../domain/ports/notifier.ts';
import type { PriceSource } from '../domain/ports/price-source.ts';
import type { WalletAuth } from '../domain/ports/wallet-auth.ts';
import { exchangePrices } from '../providers/data/exchange-prices.ts';
import { createNotifier } from '../providers/notify/notifier.ts';
import type { NotifySettings } from '../providers/notify/settings.ts';
import type { RuntimeClock } from '../runtime/ports.ts';
import type { ActorEngine, Definition } from '../runtime/types.ts';
import type { AlertToolDeps } from '../tools/commerce/oracle_alert-generator.ts';
import type { FrontRoute } from '../transport/front-route.ts';
import { alertRoutes } from '../transport/routes/alerts/alert-routes.ts';
import { webhookRoutes } from '../transport/routes/alerts/webhook-routes.ts';
import { openSeal } from './secret-key.ts';

/** What alerts, notices and webhooks need before there is an engine. */
export interface AlertParts {
  readonly dataDir: string;
  readonly egress: EgressPort;
  readonly clock: RuntimeClock;
  readonly events: EventLog;
  readonly settings: NotifySettings;
  /** In place of the exchanges. */
  readonly prices?: PriceSource;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** Alerts, notices and webhooks, before the engine runs. */
export interface OpenAlerts {
  readonly definitions: readonly Definition[];
  readonly operator: OperatorNotices;
  /** Begins to follow events, and to serve. */
  start(engine: ActorEngine, serving: ServingParts): Promise<RunningAlerts>;
}

/** What they are served with. */
export interface ServingParts {
  readonly wallets: WalletAuth;
  readonly limitLocal: boolean;
}

/** Alerts, notices and webhooks at work. */
export interface RunningAlerts {
  readonly routes: readonly FrontRoute[];
  readonly tool: AlertToolDeps & { readonly alerts: ReturnType<typeof createAlerts> };
  stop(): Promise<void>;
}

/**
 * Opens alerts, notices and webhooks.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file of the key is not as it was written.
 */
export function openAlerts(parts: AlertParts): OpenAlerts {
  const { dataDir, egress, clock, events, notice, settings } = parts;
  const seal = openSeal(dataDir);
  const notifier = createNotifier({
    settings,
    egress,
    secretOf: (webhookId) => secretOf(seal, webhookId),
    now: clock.now,
  });
  const prices = parts.prices ?? exchangePrices({ egress, clock });
  const operator = new OperatorNotices({ notifier, clock, log: notice });
  return {
    definitions: [
      defineAlertActor({ prices, events }),
      defineNotice({ notifier }),
      defineWebhook(),
    ],
    operator,
    start: (engine, serving) =>
      run({ ...parts, prices, notifier, seal, operator }, engine, serving),
  };
}

interface RunParts extends AlertParts {
  readonly prices: PriceSource;
  readonly notifier: Notifier;
  readonly operator: OperatorNotices;
  readonly seal: (text: string) => string;
}

async function run(
  parts: RunParts,
  engine: ActorEngine,
  { wallets, limitLocal }: ServingParts,
): Promise<RunningAlerts> {
  const { clock, events, notifier, seal, prices, operator, notice } = parts;
  const nowText = (): string => new Date(clock.now()).toISOString();
  const webhooks = createWebhooks({ engine, events, notifier, seal, nowText });
  const alerts = createAlerts({
    ...{ engine, clock, prices, events, seal },
    requireWebhook: (webhookId, owner) => webhooks.require(webhookId, owner),
  });
  const feed = new WebhookFeed({ engine, events, clock, notice });
  await feed.start();
  const endNotices = operator.start(engine);
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
      endNotices();
      await feed.stop();
    },
  };
}
