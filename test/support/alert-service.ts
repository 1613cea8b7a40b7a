import { createWalletAuth } from '../../src/actors/wallet/wallet-auth.ts';
import { parseConfig } from '../../src/config.ts';
import type { EventFeed } from '../../src/domain/event/event-log.ts';
import { createNotifications, openAlerts } from '../../src/process/alert/alerts.ts';
import { Closers } from '../../src/process/server/closers.ts';
import { createEgress } from '../../src/providers/net/egress.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../src/runtime/timer/clock.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { ToldSources } from './alert-sources.ts';
import { EventsDouble } from './alert-world.ts';
import { startFront } from './front-rig.ts';
import { memoryNonces } from './memory-nonces.ts';
import { createMemoryPrices } from './memory-prices.ts';
import { isSignedByKey, type SigningWallet, TEST_DOMAIN, TEST_ORIGIN } from './signing-wallet.ts';
import { tempDir } from './temp-dir.ts';

/** How a service is started. */
export interface AlertServiceOptions {
  readonly http?: HttpEngine;
  readonly env?: Readonly<Record<string, string>>;
  /** `host:port` pairs on this machine that it may reach. */
  readonly reach?: readonly string[];
}

/** Alerts, notices and webhooks as a server has them, with real ways out and a real front. */
export async function alertService({ http = 'node', env = {}, reach = [] }: AlertServiceOptions) {
  const dir = tempDir();
  const clock = systemClock();
  const egress = createEgress({ clock, userAgent: 'stoa/test', allowHosts: reach });
  const events = new EventsDouble();
  const prices = createMemoryPrices();
  const lines: string[] = [];
  const { markets, feeds } = new ToldSources(clock.now);
  const notice = (line: string) => void lines.push(line);
  const config = parseConfig(['--data', dir.path, '--limit-local'], env);
  const notifications = createNotifications({ config, egress, clock, notice });
  const { engine, define, start } = openEngine({ store: memoryStore(), clock, definitions: [] });
  const closers = new Closers();
  const wallets = createWalletAuth({
    trust: { isSignedBy: isSignedByKey },
    domain: TEST_DOMAIN,
    origins: () => [TEST_ORIGIN],
    nonces: memoryNonces(),
    clock,
  });
  const opened = { ...notifications, config, closers, engine, define, clock, notice, wallets };
  const told = { prices, markets, feeds, events: events as unknown as EventFeed };
  const running = await openAlerts({ ...opened, ...told }, []);
  await start();
  const rig = await startFront(http, { routes: running.routes });
  return {
    engine,
    events,
    prices,
    lines,
    operator: notifications.operator,
    alerts: running.tool.alerts,
    baseUrl: rig.baseUrl,
    /** Asks with JSON, signed by a wallet where there is one. */
    ask: async (method: string, path: string, how: Ask = {}): Promise<Response> => {
      const body = how.body ?? (how.json === undefined ? undefined : JSON.stringify(how.json));
      const sent = body === undefined ? {} : { body };
      const signed =
        how.header ?? (await how.wallet?.header({ method, path, ...sent })) ?? undefined;
      return fetch(`${rig.baseUrl}${path}`, {
        method,
        ...sent,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(signed === undefined ? {} : { 'stoa-wallet': signed }),
        },
      });
    },
    close: async () => {
      await rig.front.close();
      await closers.closeAll();
      await engine.close();
      await egress.close();
      dir.remove();
    },
  };
}

interface Ask {
  readonly json?: unknown;
  readonly body?: string;
  readonly wallet?: SigningWallet;
  readonly header?: string;
}
