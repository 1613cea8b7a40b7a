import type { Config } from './config.ts';
import { type AppError, toAppError } from './domain/common/error.ts';
import { openPushNotifications } from './process/agent-protocol/push.ts';
import { addControlRoutes } from './process/control/controls.ts';
import { openHostingServer } from './process/hosting/hosting-tools.ts';
import { type OpenedHosting, openHosting } from './process/hosting/own-hosting.ts';
import {
  recordContents,
  rejectDamage,
  removeUnusedStores,
} from './process/inspect/inspect-directory.ts';
import { openServerInspector } from './process/inspect/inspection.ts';
import { startProofs } from './process/proof/proofs.ts';
import { Closers, Shutdown } from './process/server/closers.ts';
import { openCommerce } from './process/server/commerce.ts';
import { lockDataDir } from './process/server/data-lock.ts';
import { createDescriptorBudget } from './process/server/descriptor-limits.ts';
import { openDirectory } from './process/server/directory.ts';
import { startMaintenance } from './process/server/maintenance.ts';
import { openOwnEngine } from './process/server/own-engine.ts';
import { listenExclusively, rejectUsedPort } from './process/server/own-port.ts';
import { consoleFolder } from './process/server/package-root.ts';
import { type InitialServices, openPorts } from './process/server/ports.ts';
import { buildReady, removeReady, writeReady } from './process/server/ready-file.ts';
import type { ServerOverrides, ServerServices } from './process/server/services.ts';
import {
  rejectUnsetClock,
  stackOrMessage,
  toStartupError,
} from './process/server/startup-error.ts';
import type { Notice, Stoa } from './process/server/stoa.ts';
import { openToken } from './process/server/token-file.ts';
import { serveLocalClients } from './process/stdio/local-server.ts';
import { serveLocally } from './process/stdio/serve-locally.ts';
import { systemClock } from './runtime/timer/clock.ts';
import { recordStart } from './system/running-work.ts';
import { createFront, type Front, type Listening } from './transport/front/front.ts';
import { faucetRoute } from './transport/routes/faucet.ts';

/**
 * Starts everything that one data directory holds: store, chain, engine, tool server and front.
 *
 * @throws {AppError} `DATA_DIR_BUSY`, `DATA_DAMAGED`, `DATA_DIR_UNUSABLE`, `PORT_IN_USE`,
 * `CONFIG_INVALID`, `NOT_CONFIGURED`, `STORE_FULL`, `STORE_NEWER`
 */
export async function startStoa(
  config: Config,
  notice: Notice,
  overrides: ServerOverrides = {},
): Promise<Stoa> {
  const closers = new Closers();
  try {
    return await startLocked({ config, notice, closers, overrides, shutdown: new Shutdown() });
  } catch (thrown) {
    await closers.closeAll();
    throw toStartupError(thrown, config.dataDir);
  }
}

async function startLocked(given: Omit<InitialServices, 'lock' | 'token'>): Promise<Stoa> {
  const { config, closers, notice } = given;
  rejectUnsetClock(systemClock().now());
  const lock = await lockDataDir(config.dataDir);
  closers.add(() => lock.release());
  await rejectUsedPort(config);
  rejectDamage(config.dataDir);
  removeUnusedStores(config.dataDir);
  const token = openToken(config.dataDir);
  try {
    await openDirectory({ ...config, hasOwnChain: config.rpc === undefined, notice });
    return await startOwned({ ...given, lock, token });
  } catch (thrown) {
    // A local client that started this daemon learns of the failure only here.
    serveLocalClients(lock, token, () => {
      throw toAppError(toStartupError(thrown, config.dataDir));
    });
    throw thrown;
  }
}

/** Opens one subject after the other; each adds its close function. */
async function startOwned(initial: InitialServices): Promise<Stoa> {
  const ports = await openPorts(initial);
  const services = { ...ports, ...openOwnEngine(ports) };
  const commerce = await openCommerce(services);
  const { controls, offered, ownPassport } = commerce;
  const hosting = await openHosting(services);
  await services.start();
  const { chain, closers, config, environment, engine, origin, running, store } = services;
  Object.assign(running, { engine, isSolvent: commerce.isSolvent });
  const proofs = startProofs(store.proofs, services, commerce);
  closers.add(proofs.stop);
  const hosted = openHostingServer(services, hosting.provider);
  const push = await openPushNotifications(services);
  const routes = [
    ...services.telemetry.routes,
    ...proofs.routes,
    ...commerce.routes,
    ...(chain.facts.isLocal ? [faucetRoute(chain.faucet)] : []),
  ];
  const front = createFront({
    ...hosted,
    ...openFrontSettings(services),
    ...openConsole(services, hosting),
    commerce: offered,
    push,
    routes: addControlRoutes(
      { ...services, controls },
      { offered, hosting: hosted?.hosting },
      routes,
    ),
  });
  running.front = front;
  closers.add(() => front.close());
  const listening = await startListening(config, front);
  origin.tell(listening.baseUrl);
  serveLocally(services, { commerce: offered, hosted }, front.gate, ownPassport);
  startMaintenance(services, proofs.caughtUp);
  closers.add(await environment.serve(engine));
  const ready = buildReady(listening, { ...services, isHosting: hosted !== undefined });
  writeReady(config.dataDir, ready);
  closers.add(async () => removeReady(config.dataDir));
  const close = (): Promise<void> => {
    running.isClosing = true;
    return closers.closeAll();
  };
  const ended = services.shutdown.triggered;
  return { ready, consoleLink: () => front.consoleLink(), close, ended };
}

/** Starts to listen after it has recorded what a later start must find in the data directory. */
function startListening(config: Config, front: Front): Promise<Listening> {
  recordContents(config.dataDir);
  return listenExclusively(config, () => front.listen(config.host, config.port));
}

/** Returns the settings of the front that depend on nothing but the configuration. */
function openFrontSettings(
  services: Pick<ServerServices, 'clock' | 'config' | 'notice' | 'random' | 'store' | 'token'>,
) {
  const { clock, config, notice, random, store, token } = services;
  const { publicUrl } = config;
  return {
    ...store.mcp,
    ...config.authority,
    http: config.http,
    clock,
    wireClock: systemClock(),
    random,
    onRequestStart: (path: string) => recordStart('request', () => path),
    isOperatorToken: token.isValid,
    trustedProxies: config.trustedProxies,
    conformanceFixtures: config.conformanceFixtures,
    descriptors: createDescriptorBudget(notice),
    limits: { limitsLocalCallers: config.limitLocal },
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
}

/** Opens the console's inspector, its cookie key and its hosting access. */
function openConsole(
  services: Parameters<typeof openServerInspector>[0] & Pick<ServerServices, 'notice' | 'token'>,
  { current }: OpenedHosting,
) {
  const { clock, config, notice, token } = services;
  const mayChange = config.consoleActions.includes('hosting');
  return {
    inspector: openServerInspector(services),
    console: {
      folder: consoleFolder(),
      cookieKey: token.keyFor('stoa console cookie v1'),
      hosting: { provider: current, clock, notice, mayChange },
      onFault: (error: AppError) => notice(`console: ${stackOrMessage(error)}`),
    },
  };
}
