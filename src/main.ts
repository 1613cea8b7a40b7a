import type { Config } from './config.ts';
import { AppError, toAppError } from './domain/common/error.ts';
import type { HostingProvider } from './domain/hosting/hosting.ts';
import type { ToolService } from './domain/tool/tool.ts';
import { rejectLostChain } from './process/chain/own-chain.ts';
import { claimChain } from './process/chain/treasury.ts';
import type { Trust } from './process/chain/trust.ts';
import { addControlRoutes } from './process/control/controls.ts';
import type { OtherUpstreams } from './process/data/data-tools.ts';
import { type HostingServer, openHostingServer } from './process/hosting/hosting-tools.ts';
import { openOwnHosting } from './process/hosting/own-hosting.ts';
import { recordContents, rejectDamage } from './process/inspect/inspect-directory.ts';
import { openInspector } from './process/inspect/inspection.ts';
import { openModels } from './process/llm/models.ts';
import { type RunningProofs, rejectForeignKey, startProofs } from './process/proof/proofs.ts';
import { Closers, Shutdown } from './process/server/closers.ts';
import { type CommerceDeps, openCommerce, stackOrMessage } from './process/server/commerce.ts';
import { type DataLock, lockDataDir } from './process/server/data-lock.ts';
import { createDescriptorBudget } from './process/server/descriptor-limits.ts';
import { openDirectory } from './process/server/directory.ts';
import { openEnvironment, type ServerEnvironment } from './process/server/environment.ts';
import { serveLocalClients } from './process/server/local-server.ts';
import { startMaintenance } from './process/server/maintenance.ts';
import { listenExclusively, rejectUsedPort } from './process/server/own-port.ts';
import { consoleFolder } from './process/server/package-root.ts';
import { type ProcessMonitor, UNMONITORED } from './process/server/process-monitor.ts';
import { PublicOrigin } from './process/server/public-origin.ts';
import { type Ready, removeReady, writeReady } from './process/server/ready-file.ts';
import { serveLocally } from './process/server/serve-locally.ts';
import { rejectUnsetClock, toStartupError } from './process/server/startup-error.ts';
import { openStores, type Stores } from './process/server/stores.ts';
import { systemRandom } from './process/server/system.ts';
import { type OperatorToken, openToken } from './process/server/token-file.ts';
import {
  openTelemetry,
  type Running,
  type Telemetry,
  type TelemetryDeps,
} from './process/telemetry/telemetry.ts';
import type { ContractAddresses } from './providers/chain/trust/deploy.ts';
import { type NodePaymentChain, openPaymentChain } from './providers/payment/payment-chain.ts';
import type { EngineSetup } from './runtime/engine/engine.ts';
import type { RuntimeClock } from './runtime/engine/ports.ts';
import type { ActorEngine } from './runtime/engine/types.ts';
import { systemClock } from './runtime/timer/clock.ts';
import { recordStart } from './system/running-work.ts';
import { selectTools } from './tools/service/select-tools.ts';
import type { ConsoleLink } from './transport/console/entry-routes.ts';
import { createFront, type Front, type Listening } from './transport/front/front.ts';
import type { FrontRoute } from './transport/front/front-route.ts';
import { faucetRoute } from './transport/routes/faucet.ts';

/** A running server. */
export interface Stoa {
  readonly ready: Ready;
  /** Creates a single-use link that opens the console. */
  consoleLink(): ConsoleLink | undefined;
  /**
   * Shuts down in order: rejects new calls, finishes open ones, and keeps effects for the next
   * start.
   */
  close(): Promise<void>;
  /** Resolves when the server stops by itself: idle, or after a fatal error. */
  readonly ended: Promise<AppError | undefined>;
}

/** Dependencies that a caller may inject beside the configuration. */
export interface ServerOverrides {
  /** Opens the provider of the hosting server. When absent, the configuration selects it. */
  readonly hosting?: (clock: RuntimeClock, origin: () => string) => Promise<HostingProvider>;
  /** Replaces upstreams of the data tools. */
  readonly upstreams?: OtherUpstreams;
  /** Monitors the process, for a server that does not share it. */
  readonly watch?: ProcessMonitor;
}

/** Receives one line of text for the operator. */
export type Notice = (line: string) => void;

/**
 * Starts everything that one data directory holds: store, chain, engine, tool server and front.
 *
 * @throws {AppError} `DATA_DIR_BUSY`, `DATA_DAMAGED`, `DATA_DIR_UNUSABLE`, `PORT_IN_USE`,
 * `CONFIG_INVALID`, `NOT_CONFIGURED`, `STORE_FULL`, `STORE_NEWER`
 */
export async function startStoa(
  config: Config,
  notice: Notice,
  outside: ServerOverrides = {},
): Promise<Stoa> {
  const closers = new Closers();
  try {
    return await startLocked({ config, notice, closers, outside });
  } catch (thrown) {
    await closers.closeAll();
    throw toStartupError(thrown, config.dataDir);
  }
}

async function startLocked(begun: StartContext): Promise<Stoa> {
  const { config, closers, notice } = begun;
  rejectUnsetClock(systemClock().now());
  const lock = await lockDataDir(config.dataDir);
  closers.add(() => lock.release());
  await rejectUsedPort(config);
  rejectDamage(config.dataDir);
  const token = openToken(config.dataDir);
  try {
    await openDirectory({ ...config, hasOwnChain: config.rpc === undefined, notice });
    return await startOwned({ ...begun, lock, token });
  } catch (thrown) {
    // A local client that started this daemon learns of the failure only here.
    serveLocalClients(lock, token, () => {
      throw toAppError(toStartupError(thrown, config.dataDir));
    });
    throw thrown;
  }
}

interface StartContext {
  readonly config: Config;
  readonly notice: Notice;
  readonly closers: Closers;
  readonly outside: ServerOverrides;
}

interface OwnedContext extends StartContext {
  readonly lock: DataLock;
  readonly token: OperatorToken;
}

const loadTestControl = () => import('./process/test-control/test-control-server.ts');

async function startOwned(owned: OwnedContext): Promise<Stoa> {
  const { config, notice, closers, lock, token } = owned;
  const environment = await openEnvironment(config, loadTestControl);
  const { clock } = environment;
  const end = new Shutdown();
  const own = await openChain(config, notice, clock);
  closers.add(() => own.close());
  closers.add(await claimChain(config.dataDir, own, { ...config, notice }));
  const store = environment.stores(openStores(config, clock, closers));
  await rejectForeignKey(store.proofs);
  const llm = environment.llm(await openModels(config, systemClock(), notice));
  const chain = environment.chain(own);
  const running: Running = { isClosing: false };
  const telemetry = await openOwnTelemetry(owned, { chain, clock, store, running });
  const fail = (error: AppError): void => end.trigger(error);
  const origin = new PublicOrigin(config.publicUrl);
  const { engine, commerce, trust, provider } = await openActors(
    { ...owned, around: environment, chain, llm, clock, store, telemetry, fail, origin },
    closers,
  );
  Object.assign(running, { engine, isSolvent: trust.isSolvent });
  const proofs = startProofs(store.proofs, {
    engine,
    notice,
    events: store.trust.events,
    blobs: store.blobs,
    projectors: trust.projectors,
    anchorReason: trust.anchorReason,
  });
  closers.add(proofs.stop);
  const offered = telemetry.traced(selectOfferedTools(commerce, config));
  const hosted = openHostingServer({ provider, config, clock, telemetry, notice });
  const front = createFront({
    ...hosted,
    http: config.http,
    clock,
    wireClock: systemClock(),
    random: systemRandom,
    onRequestStart: (path) => recordStart('request', () => path),
    ...store.mcp,
    commerce: offered,
    isOperatorToken: token.isValid,
    routes: buildRoutes({ trust, proofs, telemetry, offered, chain, clock, origin }),
    trustedProxies: config.trustedProxies,
    ...config.authority,
    conformanceFixtures: config.conformanceFixtures,
    descriptors: createDescriptorBudget(notice),
    limits: { limitsLocalCallers: config.limitLocal },
    ...buildConsole({ ...owned, around: environment, engine, store, telemetry, provider }),
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
  });
  running.front = front;
  closers.add(() => front.close());
  const listening = await startListening(config, front);
  origin.tell(listening.baseUrl);
  const reach = { gate: front.gate, passport: trust.ownPassport };
  serveLocally({ config, lock, token, commerce: offered, hosted, engine, shutdown: end, ...reach });
  closers.add(startMaintenance({ engine, store, clock, whenProven: proofs.caughtUp, notice }));
  closers.add(await environment.serve(engine));
  const ready = buildReady(listening, { token, chain, hosted });
  publishReady(config.dataDir, ready, closers);
  const close = (): Promise<void> => {
    running.isClosing = true;
    return closers.closeAll();
  };
  return { ready, consoleLink: () => front.consoleLink(), close, ended: end.triggered };
}

/** Starts telemetry and registers its stop. */
async function openOwnTelemetry(
  { config, notice, closers, outside }: OwnedContext,
  { store, ...sources }: Pick<TelemetryDeps, 'chain' | 'clock' | 'running'> & { store: Stores },
): Promise<Telemetry> {
  const { stalls } = outside.watch ?? UNMONITORED;
  const stores = { ...store, proofs: store.proofs.log };
  const telemetry = await openTelemetry({ config, notice, ...sources, store: stores, stalls });
  closers.add(telemetry.close);
  return telemetry;
}

/** Starts to listen after it has recorded what a later start must find in the data directory. */
function startListening(config: Config, front: Front): Promise<Listening> {
  recordContents(config.dataDir);
  return listenExclusively(config, () => front.listen(config.host, config.port));
}

/** Publishes the server's address to other programs on this machine, until it closes. */
function publishReady(dataDir: string, ready: Ready, closers: Closers): void {
  writeReady(dataDir, ready);
  closers.add(async () => removeReady(dataDir));
}

/** Opens everything that lives on the engine, then resumes what the last process left. */
async function openActors(
  given: Omit<CommerceDeps, 'upstreams' | 'watch'> & OwnedContext,
  closers: Closers,
) {
  const { upstreams, watch } = given.outside;
  const commerce = await openCommerce({ ...given, upstreams, watch }, closers);
  const provider = await openProvider(given, { ...given, setup: commerce });
  commerce.start();
  return { ...commerce, provider };
}

interface HostingSources {
  readonly setup: EngineSetup;
  readonly clock: RuntimeClock;
  readonly store: Stores;
  readonly origin: PublicOrigin;
}

/** Opens the hosting provider if one is configured. Shutdown closes it. */
async function openProvider(
  { config, notice, closers, outside }: OwnedContext,
  { setup, ...sources }: HostingSources,
): Promise<HostingProvider | undefined> {
  const { clock, origin } = sources;
  const own = await openOwnHosting(setup, { config, notice, ...sources }, closers);
  const provider = own ?? (await outside.hosting?.(clock, origin.current));
  if (provider !== undefined) closers.add(() => provider.close());
  return provider;
}

interface RouteSources {
  readonly trust: Trust;
  readonly proofs: RunningProofs;
  readonly telemetry: Telemetry;
  readonly offered: ToolService;
  readonly chain: NodePaymentChain;
  readonly clock: RuntimeClock;
  readonly origin: PublicOrigin;
}

/** Returns the routes beside MCP and the console. Controls that are not LIVE close their routes. */
function buildRoutes(sources: RouteSources): readonly FrontRoute[] {
  const { trust, proofs, telemetry, offered, chain, clock, origin } = sources;
  return addControlRoutes({
    controls: trust.controls,
    offered,
    chain: chain.facts,
    clock,
    routes: [
      ...telemetry.routes,
      ...proofs.routes,
      ...trust.routes,
      ...(chain.facts.isLocal ? [faucetRoute(chain.faucet)] : []),
    ],
    origin: origin.current,
  });
}

interface ConsoleSources {
  readonly config: Config;
  readonly around: ServerEnvironment;
  readonly engine: ActorEngine;
  readonly store: Stores;
  readonly telemetry: Telemetry;
  readonly token: OperatorToken;
  readonly notice: Notice;
  readonly provider: HostingProvider | undefined;
}

/** Builds the console's inspector, its cookie key and its hosting access. */
function buildConsole(sources: ConsoleSources) {
  const { config, around, engine, store, telemetry, token, notice, provider } = sources;
  return {
    inspector: openInspector({
      engine,
      blobs: store.blobs,
      clock: around.clock,
      runtime: telemetry.source,
      dataDir: config.dataDir,
      actions: config.consoleActions,
      developmentKinds: around.developmentKinds,
    }),
    console: {
      folder: consoleFolder(),
      cookieKey: token.keyFor('stoa console cookie v1'),
      hosting: {
        provider,
        clock: around.clock,
        notice,
        mayChange: config.consoleActions.includes('hosting'),
      },
      onFault: (error: AppError) => notice(`console: ${stackOrMessage(error)}`),
    },
  };
}

/**
 * Returns the tools that the operator offers. A caller can only narrow them.
 *
 * @throws {AppError} `CONFIG_INVALID` when a toolset does not exist.
 */
function selectOfferedTools(commerce: ToolService, { toolsets, readOnly }: Config): ToolService {
  const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
  try {
    return selectTools(commerce, wishes, () => 'the operator does not offer it');
  } catch (cause) {
    const { message, data } = toAppError(cause);
    throw new AppError('CONFIG_INVALID', { message: `--toolsets: ${message}`, data, cause });
  }
}

async function openChain(
  config: Config,
  notice: Notice,
  clock: RuntimeClock,
): Promise<NodePaymentChain> {
  const { dataDir, rpc } = config;
  const now = clock.now;
  if (rpc === undefined) {
    rejectLostChain(dataDir);
    return openPaymentChain({ kind: 'local', dataDir, now, notice });
  }
  const operatorKey = config.secret('STOA_OPERATOR_KEY');
  if (operatorKey === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: '`STOA_RPC_URL` also requires `STOA_OPERATOR_KEY` or `STOA_OPERATOR_KEY_FILE`.',
    });
  }
  return openPaymentChain({
    kind: 'rpc',
    rpcUrl: rpc.url,
    token: rpc.token,
    ...(rpc.confirmations === undefined ? {} : { confirmations: rpc.confirmations }),
    ...(rpc.gasBudgetWei === undefined ? {} : { gasBudgetWei: BigInt(rpc.gasBudgetWei) }),
    ...(rpc.gasCoinUsd === undefined ? {} : { gasCoinUsd: rpc.gasCoinUsd }),
    contracts: rpc.contracts as ContractAddresses,
    operatorKey,
    dataDir,
    now,
    notice,
  });
}

interface ReadyParts {
  readonly token: OperatorToken;
  readonly chain: NodePaymentChain;
  readonly hosted: HostingServer | undefined;
}

function buildReady(listening: Listening, { token, chain, hosted }: ReadyParts): Ready {
  const { baseUrl, engine } = listening;
  const { facts } = chain;
  return {
    ready: true,
    base_url: baseUrl,
    mcp: `${baseUrl}/v1/mcp`,
    mcp_v2: `${baseUrl}/v2/`,
    hosting_mcp: hosted === undefined ? null : `${baseUrl}/hosting/mcp`,
    console: `${baseUrl}/console/`,
    token_file: token.path,
    pid: process.pid,
    http_engine: engine,
    chain: {
      id: facts.chainId,
      // The path and query of a third-party URL may contain an API key.
      rpc_url: facts.isLocal ? facts.rpcUrl : new URL(facts.rpcUrl).origin,
      token: facts.token,
      escrow: chain.trust.contracts.escrow,
      identity: chain.trust.contracts.identity,
      anchor: chain.trust.contracts.anchor,
      history_url: chain.historyUrl ?? null,
    },
  };
}
