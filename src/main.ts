import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineDebate } from './actors/panels/debate.ts';
import { definePayment } from './actors/payments/definition.ts';
import { createPayments } from './actors/payments.ts';
import type { Config } from './config.ts';
import { AppError, toAppError } from './domain/error.ts';
import type { Clock } from './domain/ports/clock.ts';
import type { LlmPort } from './domain/ports/llm.ts';
import type { ToolService } from './domain/tool.ts';
import { Closers, End } from './process/closers.ts';
import { type DataLock, lockDataDir } from './process/data-lock.ts';
import { openInspector } from './process/inspection.ts';
import { keepHouse } from './process/keep-house.ts';
import { serveLocalClients } from './process/local-server.ts';
import { openProofs, refuseForeignKey, runProofs } from './process/proofs.ts';
import { type Ready, removeReady, writeReady } from './process/ready-file.ts';
import { openSurroundings, type Surroundings } from './process/surroundings.ts';
import { systemRandom } from './process/system.ts';
import { openTelemetry, type Running, type Telemetry } from './process/telemetry.ts';
import { type OperatorToken, openToken } from './process/token-file.ts';
import { type NodePaymentChain, openPaymentChain } from './providers/chain/payment-chain.ts';
import type { Llm } from './providers/llm/create-llm.ts';
import { createEgress } from './providers/net/egress.ts';
import { systemClock } from './runtime/clock.ts';
import { createEngine } from './runtime/engine.ts';
import type { ActorEngine } from './runtime/types.ts';
import { openBlobStore } from './store/blob-store.ts';
import { openEngineStore } from './store/engine-store.ts';
import { openMcpState } from './store/mcp-state.ts';
import { storeError } from './store/store-error.ts';
import { commerceJobs, commerceResources, commerceTools } from './tools/catalog.ts';
import { createChallenger } from './tools/challenge.ts';
import { selectTools } from './tools/select-tools.ts';
import { createToolService } from './tools/service.ts';
import type { ConsoleLink } from './transport/console/entry-routes.ts';
import { createFront, type Front, type Listening } from './transport/front.ts';
import { faucetRoute } from './transport/routes/faucet.ts';
import { VERSION } from './version.ts';

/** A running server. */
export interface Stoa {
  readonly ready: Ready;
  /** Makes a link that opens the console once. */
  consoleLink(): ConsoleLink | undefined;
  /** Ends in order: no new calls, open ones finished, effects kept for the next start. */
  close(): Promise<void>;
  /** Resolves when the server ends by itself: idle, or because it could not go on. */
  readonly ended: Promise<AppError | undefined>;
}

/** Told what an operator should read; one line each. */
export type Notice = (line: string) => void;

/**
 * Starts everything that one data directory holds: store, chain, engine, tool server, front.
 *
 * @throws {AppError} `DATA_DIR_BUSY`, `CONFIG_INVALID`, `NOT_CONFIGURED`, `STORE_NEWER`
 */
export async function startStoa(config: Config, notice: Notice): Promise<Stoa> {
  const closers = new Closers();
  try {
    return await assemble(config, notice, closers);
  } catch (thrown) {
    await closers.closeAll();
    throw thrown;
  }
}

async function assemble(config: Config, notice: Notice, closers: Closers): Promise<Stoa> {
  const lock = await lockDataDir(config.dataDir);
  closers.add(() => lock.release());
  const token = openToken(config.dataDir);
  const around = await openSurroundings(config);
  const { clock } = around;
  const end = new End();
  // The chain's process starts while the rest opens here; whatever fails, it is closed again.
  const opening = openChain(config, notice, clock);
  opening.catch(() => undefined);
  closers.add(async () => (await opening.catch(() => undefined))?.close());
  const store = around.stores(openStores(config, clock, closers));
  await refuseForeignKey(store.proofs);
  const llm = around.llm(await openModels(config, systemClock(), notice));
  const chain = around.chain(await opening);
  const running: Running = { isClosing: false };
  const sized = { ...store, proofs: store.proofs.log };
  const telemetry = await openTelemetry({ config, chain, clock, store: sized, notice, running });
  closers.add(telemetry.close);
  const fail = (error: AppError): void => end.with(error);
  const { engine, commerce } = await openCommerce(
    { config, around, chain, llm, clock, store, notice, telemetry, fail },
    closers,
  );
  running.engine = engine;
  const proofs = runProofs(store.proofs, { engine, notice });
  closers.add(proofs.stop);
  const offered = telemetry.traced(offeredTools(commerce, config));
  const front = createFront({
    http: config.http,
    front: config.front,
    clock,
    wireClock: systemClock(),
    random: systemRandom,
    sessions: store.mcp.sessions,
    events: store.mcp.events,
    openCalls: store.mcp.openCalls,
    commerce: offered,
    isOperatorToken: token.isValid,
    routes: [
      ...telemetry.routes,
      ...proofs.routes,
      ...(chain.facts.isLocal ? [faucetRoute(chain.faucet)] : []),
    ],
    trustedProxies: config.trustedProxies,
    conformanceFixtures: config.conformanceFixtures,
    limits: { limitsLocalCallers: config.limitLocal },
    ...consoleOf({ config, around, engine, store, telemetry, token, notice }),
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
  });
  running.front = front;
  const listening = await front.listen(config.host, config.port);
  closers.add(() => front.close());
  serveLocally({ config, lock, token, commerce: offered, gate: front.gate, engine, end });
  closers.add(keepHouse({ engine, store, clock, proven: proofs.caughtUp, notice }));
  closers.add(await around.serve(engine));
  const ready = readyOf(listening, token, chain);
  writeReady(config.dataDir, ready);
  closers.add(async () => removeReady(config.dataDir));
  const consoleLink = (): ConsoleLink | undefined => front.consoleLink();
  const close = (): Promise<void> => {
    running.isClosing = true;
    return closers.closeAll();
  };
  return { ready, consoleLink, close, ended: end.reached };
}

interface ConsoleSources {
  readonly config: Config;
  readonly around: Surroundings;
  readonly engine: ActorEngine;
  readonly store: Stores;
  readonly telemetry: Telemetry;
  readonly token: OperatorToken;
  readonly notice: Notice;
}

/** What the console shows, and how it is entered. */
function consoleOf({ config, around, engine, store, telemetry, token, notice }: ConsoleSources) {
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
      folder: PAGE_FOLDER,
      cookieKey: token.keyFor('stoa console cookie v1'),
      onFault: (error: AppError) => notice(`console: ${causeText(error)}`),
    },
  };
}

/** Where the build puts the console's page: beside this file. */
const PAGE_FOLDER = join(import.meta.dirname, 'web');

/**
 * The tools that the operator offers; a caller can only narrow them.
 *
 * @throws {AppError} `CONFIG_INVALID` for a group that there is not.
 */
function offeredTools(commerce: ToolService, { toolsets, readOnly }: Config): ToolService {
  const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
  try {
    return selectTools(commerce, wishes, () => 'the operator does not offer it here');
  } catch (cause) {
    const { message, data } = toAppError(cause);
    throw new AppError('CONFIG_INVALID', { message: `--toolsets: ${message}`, data, cause });
  }
}

/** The databases of a data directory; actors and sessions are environments of their own. */
function openStores({ dataDir, publicUrl }: Config, clock: Clock, closers: Closers) {
  const folder = join(dataDir, 'store');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const engine = openEngineStore({ path: join(folder, 'actors') });
    closers.add(() => engine.close());
    const blobs = openBlobStore({ path: join(folder, 'blobs'), clock });
    closers.add(() => blobs.close());
    const mcp = openMcpState({ path: join(folder, 'mcp') });
    closers.add(() => mcp.close());
    const proofs = openProofs({ dataDir, publicUrl, clock });
    closers.add(() => proofs.log.close());
    return { engine, blobs, mcp, proofs };
  } catch (thrown) {
    throw storeError(thrown);
  }
}

type Stores = ReturnType<typeof openStores>;

function openChain(config: Config, notice: Notice, clock: Clock): Promise<NodePaymentChain> {
  const { dataDir, rpc } = config;
  const now = clock.now;
  if (rpc === undefined) return openPaymentChain({ kind: 'local', dataDir, now, notice });
  const operatorKey = config.secret('STOA_OPERATOR_KEY');
  if (operatorKey === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: 'STOA_RPC_URL needs STOA_OPERATOR_KEY (or STOA_OPERATOR_KEY_FILE) beside it.',
    });
  }
  return openPaymentChain({
    kind: 'rpc',
    rpcUrl: rpc.url,
    token: rpc.token,
    ...(rpc.confirmations === undefined ? {} : { confirmations: rpc.confirmations }),
    operatorKey,
    dataDir,
    now,
  });
}

/** The language models. Their vendors' packages are heavy, so they load only where one is named. */
async function openModels(config: Config, clock: Clock, notice: Notice): Promise<Models> {
  if (config.llmModels.trim() === '') return NO_MODELS;
  const { createLlm } = await import('./providers/llm/create-llm.ts');
  const llm = createLlm({
    models: config.llmModels,
    prices: config.llmPrices,
    keys: config.secret,
    clock,
  });
  for (const { modelId, variable } of llm.unconfigured) {
    notice(`${modelId} is not offered: ${variable} is not set`);
  }
  return llm;
}

type Models = LlmPort & Pick<Llm, 'hosts'>;

const NO_MODELS: Models = {
  models: [],
  hosts: [],
  ceiling: () => null,
  complete: async () => {
    throw new AppError('NOT_CONFIGURED', { message: 'No language model is configured.' });
  },
};

interface CommerceParts {
  readonly config: Config;
  readonly around: Surroundings;
  readonly chain: NodePaymentChain;
  readonly llm: Models;
  readonly clock: Clock;
  readonly store: Stores;
  readonly notice: Notice;
  readonly telemetry: Telemetry;
  readonly fail: (error: AppError) => void;
}

/** The commerce server over its engine. */
async function openCommerce(
  { config, around, chain, llm, clock, store, notice, telemetry, fail }: CommerceParts,
  closers: Closers,
): Promise<{ engine: ActorEngine; commerce: ToolService }> {
  const { blobs } = store;
  const contact = config.operatorContact ?? config.publicUrl ?? 'no contact configured';
  const outside = createEgress({
    clock: systemClock(),
    userAgent: `stoa/${VERSION} (+${contact})`,
    denyHosts: [...llm.hosts, ...hostsOf(config.publicUrl, chain.facts.rpcUrl)],
  });
  closers.add(() => outside.close());
  const egress = around.egress(outside);
  const engine = await createEngine({
    store: store.engine,
    clock,
    definitions: [
      definePayment({ chain }),
      defineDebate({ llm, blobs }),
      ...around.developmentDefinitions,
    ],
    observer: telemetry.observer,
    onNotice: ({ kind, actorId, message }) => notice(`${kind} ${actorId}: ${message}`),
    onFatal: (cause) => fail(new AppError('INTERNAL', { message: cause.message, cause })),
  });
  closers.add(() => engine.close());
  const payments = createPayments({ engine, chain, blobs, clock, random: systemRandom });
  const commerce = createToolService({
    server: 'commerce',
    title: 'Stoa commerce',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: commerceTools({ engine, blobs, clock, llm, egress, random: systemRandom }),
    paid: { payments, challenger: createChallenger({ chain, clock, random: systemRandom }) },
    jobs: commerceJobs({ engine, blobs, clock }),
    resources: commerceResources({ engine, blobs }),
    onFault: (error, tool) => notice(`${tool}: ${causeText(error)}`),
  });
  return { engine, commerce };
}

function hostsOf(...urls: readonly (string | undefined)[]): readonly string[] {
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
}

/** The innermost message and its place, for the operator's log. */
function causeText(error: AppError): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : error.message;
}

const INSTRUCTIONS = [
  'Agents buy decisions and checks here. Listing tools is free; a priced tool answers an unpaid',
  'call with an x402 challenge that states price, fee and flow. Pay it and call again with the',
  'payment. Long jobs answer with a job_id: read them with get_result, which is free.',
].join(' ');

interface LocalParts {
  readonly config: Config;
  readonly lock: DataLock;
  readonly token: OperatorToken;
  readonly commerce: ToolService;
  readonly gate: Front['gate'];
  readonly engine: ActorEngine;
  readonly end: End;
}

/** Serves stdio clients; a daemon that they started ends after the last one, once idle. */
function serveLocally(parts: LocalParts): void {
  const { config, lock, token, commerce, gate, engine, end } = parts;
  const clients = serveLocalClients(lock, token, ({ toolsets, readOnly = false }) => {
    const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
    const selected = selectTools(commerce, wishes);
    return async (streams) => {
      // Loaded for the first such client: it speaks through the SDK, which costs time to load.
      const { serveStreams } = await import('./transport/mcp/stdio.ts');
      return serveStreams(selected, streams, gate);
    };
  });
  if (!config.untilIdle) return;
  const look = (): void => {
    if (clients.count() > 0) return;
    const { runningEffects, nextDue } = engine.stats();
    if (runningEffects === 0 && nextDue === undefined) end.with(undefined);
  };
  clients.onLastGone(look);
  setInterval(look, IDLE_LOOK_MS).unref();
}

/** How often a daemon looks whether it is idle; also its patience with the first client. */
const IDLE_LOOK_MS = 10_000;

function readyOf(listening: Listening, token: OperatorToken, chain: NodePaymentChain): Ready {
  const { baseUrl, engine } = listening;
  const { facts } = chain;
  return {
    ready: true,
    base_url: baseUrl,
    mcp: `${baseUrl}/v1/mcp`,
    mcp_v2: `${baseUrl}/v2/`,
    hosting_mcp: null,
    console: `${baseUrl}/console/`,
    token_file: token.path,
    pid: process.pid,
    http_engine: engine,
    chain: {
      id: facts.chainId,
      rpc_url: facts.rpcUrl,
      token: facts.token,
      escrow: null,
      identity: null,
      anchor: null,
    },
  };
}
