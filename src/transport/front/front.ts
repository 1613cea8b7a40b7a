import type { PushNotifications } from '../../domain/agent-protocol/push.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Random } from '../../domain/common/random.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import type { McpEventLog, McpOpenCalls, McpSessionStore } from '../../domain/session/mcp-state.ts';
import type { Grant, Principal, ToolService } from '../../domain/tool/tool.ts';
import { agentRoute } from '../agent-protocol/agent-endpoint.ts';
import { type Console, type ConsoleOptions, createConsole } from '../console/console.ts';
import type { ConsoleLink } from '../console/console-link.ts';
import { hostingRoutes } from '../console/hosting/hosting-routes.ts';
import { isLoopback } from '../http/address.ts';
import { plainReply } from '../http/admit.ts';
import { Authority, HTTP_PORT } from '../http/authority.ts';
import { chooseHost, type HttpChoice } from '../http/choose-host.ts';
import type { DescriptorBudget } from '../http/descriptor-budget.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpEngine, HttpExchange, HttpHost, HttpRequest } from '../http/host.ts';
import type { ConnectionBounds, HostOptions, RequestCheck } from '../http/host-options.ts';
import { type InjectedReply, type InjectedRequest, injectRequest } from '../http/inject.ts';
import { createProxyResolver, type ProxyResolver } from '../http/proxies.ts';
import type { SocketBounds } from '../http/socket.ts';
import { RateLimiter } from '../mcp/call/rate-limiter.ts';
import { Ticker } from '../mcp/call/ticker.ts';
import { ToolViews } from '../mcp/call/tool-views.ts';
import { McpEndpoint } from '../mcp/endpoint.ts';
import type { EndpointCore, FrontCore } from '../mcp/endpoint-core.ts';
import { ERROR_REPLIES } from '../mcp/error-replies.ts';
import type { McpExtension } from '../mcp/extension.ts';
import { tooManyBytesReply } from '../mcp/json-bounds.ts';
import { limitBodies } from '../mcp/limit-bodies.ts';
import { FRONT_LIMITS, type FrontLimits } from '../mcp/limits.ts';
import { mayBeModern } from '../mcp/modern/modern-detection.ts';
import type { ModernHandler } from '../mcp/modern/modern-handler.ts';
import { readPost } from '../mcp/read-post.ts';
import type { LastWorkspaces } from '../mcp/session/last-workspaces.ts';
import { MemoryOpenCalls } from '../mcp/session/memory-state.ts';
import { SessionTable } from '../mcp/session/session-table.ts';
import { Access } from './access.ts';
import { type FrontRoute, plainRoute } from './front-route.ts';
import { createHostingCore } from './hosting-core.ts';

/** The options of a front. */
export interface FrontOptions {
  readonly http: HttpChoice;
  readonly clock: Clock;
  /** The clock of connections, sockets and console sessions. Default: `clock`, which actors use. */
  readonly wireClock?: Clock;
  readonly random: Random;
  readonly sessions: McpSessionStore;
  readonly events: McpEventLog;
  /** Stores open calls, which a restart may interrupt. In memory when absent. */
  readonly openCalls?: McpOpenCalls;
  readonly commerce: ToolService;
  /** Served at `/hosting/mcp`, for the operator token and tokens with a grant. */
  readonly hosting?: ToolService;
  /** Returns the grant of an issued token. Compares in constant time. */
  readonly grantOf?: (token: string) => Grant | undefined;
  /** Push notifications of A2A tasks. */
  readonly push?: PushNotifications;
  /** The last selected workspace of each hosting caller. */
  readonly workspaces?: LastWorkspaces;
  /** Compares in constant time. */
  readonly isOperatorToken: (token: string) => boolean;
  readonly routes?: readonly FrontRoute[];
  readonly publicUrl?: string;
  /** See `AuthorityRules`, as for `allowedOrigins`. */
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies?: readonly string[];
  readonly conformanceFixtures?: boolean;
  readonly limits?: Partial<FrontLimits>;
  readonly connections?: Partial<ConnectionBounds>;
  readonly descriptors?: DescriptorBudget;
  readonly sockets?: Partial<SocketBounds>;
  /** Served at `/console/`, with its socket at `/inspect` if there is an inspector. */
  readonly console?: ConsoleOptions;
  readonly inspector?: Inspector;
  /** Called with the path of each request, before any handling. */
  readonly onRequestStart?: (path: string) => void;
}

/** The address where a front listens. */
export interface Listening {
  readonly port: number;
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string;
  readonly engine: HttpEngine;
}

/** The current load of a front. */
export interface FrontLoad {
  readonly sessions: number;
  readonly streams: number;
  readonly calls: number;
}

/** The server's public HTTP interface. */
export interface Front {
  /**
   * Starts to serve. Port 0 picks a free one.
   *
   * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` when the engine is not available, or when
   * fixtures are enabled on an address that is not loopback.
   */
  listen(host: string, port: number): Promise<Listening>;
  /** Answers a request without a connection, through the same checks and routes. */
  inject(request: InjectedRequest): Promise<InjectedReply>;
  /** The rate limiter of the callers. */
  readonly gate: RateLimiter;
  /** Creates a single-use link that opens the console. `undefined` when no console is served. */
  consoleLink(): ConsoleLink | undefined;
  /** Returns the current load. */
  load(): FrontLoad;
  /** Returns the number of connected consoles. */
  consoles(): number;
  /** Finishes open calls within a grace period, keeps sessions for the next start, and closes. */
  close(): Promise<void>;
}

const METHODS = ['GET', 'POST', 'DELETE'];

/** Creates the front: its endpoints, the checks before them and the HTTP engine below. */
export function createFront(options: FrontOptions): Front {
  return new StoaFront(options);
}

interface OpenedFront {
  readonly authority: Authority;
  readonly hostOptions: HostOptions;
}

class StoaFront implements Front {
  private readonly options: FrontOptions;
  private readonly limits: FrontLimits;
  private readonly core: FrontCore;
  private readonly proxies: ProxyResolver;
  private readonly modernHandlers: ModernHandler[] = [];
  private readonly shutdown = new AbortController();
  private opened: Promise<OpenedFront> | undefined;
  private host: HttpHost | undefined;
  private console: Console | undefined;
  private baseUrl = '';
  private served: readonly FrontRoute[] = [];

  constructor(options: FrontOptions) {
    this.options = options;
    this.limits = { ...FRONT_LIMITS, ...options.limits };
    const { clock, random, events } = options;
    const { limits } = this;
    const openCalls = options.openCalls ?? new MemoryOpenCalls();
    const store = options.sessions;
    this.core = {
      sessions: new SessionTable({ store, events, openCalls, clock, random, limits }),
      events,
      openCalls,
      ending: this.shutdown.signal,
      pulse: new Ticker(clock),
      limits,
      gate: new RateLimiter(clock, limits),
      load: { calls: 0, streams: 0 },
    };
    this.proxies = createProxyResolver(options.trustedProxies ?? []);
  }

  get gate(): RateLimiter {
    return this.core.gate;
  }

  async listen(host: string, port: number): Promise<Listening> {
    const { options } = this;
    if (options.conformanceFixtures === true && !isLoopback(host)) {
      const message = 'Conformance fixtures require a loopback address.';
      throw new AppError('CONFIG_INVALID', { message, data: { host } });
    }
    this.opened = this.open(host);
    const { authority, hostOptions } = await this.opened;
    this.host = chooseHost(options.http, host, hostOptions);
    const bound = await this.host.listen(host, port);
    authority.startAdmitting(bound);
    this.baseUrl =
      options.publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    return { port: bound, baseUrl: this.baseUrl, engine: this.host.engine };
  }

  async inject(request: InjectedRequest): Promise<InjectedReply> {
    this.opened ??= this.openWithoutPort();
    const { hostOptions } = await this.opened;
    return injectRequest(hostOptions, request);
  }

  async close(): Promise<void> {
    this.shutdown.abort();
    this.core.sessions.releaseStandalone();
    this.core.sessions.suspendJobCalls();
    for (const route of this.served) route.end?.();
    await this.host?.close(this.limits.closeGraceMs);
    this.core.sessions.stop();
    this.core.pulse.stop();
    await Promise.all(this.modernHandlers.map((leg) => leg.close()));
  }

  consoleLink(): ConsoleLink | undefined {
    return this.console?.link();
  }

  load(): FrontLoad {
    return { sessions: this.options.sessions.count(), ...this.core.load };
  }

  consoles(): number {
    return this.console?.count() ?? 0;
  }

  /** Creates what any engine serves: the routes, and the checks before them in their order. */
  private async open(host: string): Promise<OpenedFront> {
    const { options } = this;
    const { publicUrl, connections, descriptors, sockets, onRequestStart } = options;
    const authority = new Authority({
      bindHost: host,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
    });
    const access = new Access(authority, { ...options, proxies: this.proxies });
    const console = this.openConsole(access);
    this.console = console;
    const routes = this.routes(access, await loadExtension(options));
    this.served = routes;
    access.protect(routes, (request) => console?.checkAccess(request));
    const hostOptions: HostOptions = {
      routes,
      clock: options.wireClock ?? options.clock,
      checks: [
        ...(onRequestStart === undefined ? [] : [notifyStart(onRequestStart)]),
        (request) => authority.check(request),
        (request) => access.check(request),
      ],
      addressOf: this.proxies.addressOf,
      replyHeaders: (request) => authority.replyHeaders(request),
      streamWaitingBytesMax: this.limits.streamWaitingBytesMax,
      load: this.core.load,
      ...(connections === undefined ? {} : { bounds: connections }),
      ...(descriptors === undefined ? {} : { descriptors }),
      sockets: console?.sockets ?? [],
      ...(sockets === undefined ? {} : { socketBounds: sockets }),
    };
    return { authority, hostOptions };
  }

  private async openWithoutPort(): Promise<OpenedFront> {
    const opened = await this.open('127.0.0.1');
    opened.authority.startAdmitting(HTTP_PORT);
    return opened;
  }

  private openConsole(access: Access): Console | undefined {
    const { console: options, inspector, random, publicUrl } = this.options;
    if (options === undefined) return undefined;
    const clock = this.options.wireClock ?? this.options.clock;
    return createConsole({
      options,
      inspector,
      clock,
      random,
      isSecure: publicUrl?.startsWith('https:') === true,
      baseUrl: () => this.baseUrl,
      checkOrigin: (request) => access.checkOrigin(request),
      isOperator: (request) => access.isOperator(request),
      ownRoutes: (visitorOf) =>
        hostingRoutes({
          hosting: options.hosting ?? { ...NOTHING_HOSTED, clock },
          clock,
          visitorOf,
          onFault: (error) => options.onFault?.(error),
        }),
    });
  }

  private routes(access: Access, extension: McpExtension | undefined): readonly FrontRoute[] {
    const { commerce, hosting, clock, random, push } = this.options;
    const routes = [...(this.options.routes ?? []), ...(this.console?.routes ?? [])];
    const views = new ToolViews(commerce, extension?.tools ?? []);
    const shared = {
      ...this.core,
      baseUrl: () => this.baseUrl,
      principalOf: (request: HttpRequest): Principal => ({
        kind: 'address',
        id: request.remoteAddress,
      }),
    };
    const sold = { ...shared, service: commerce, views, ...(extension && { extension }) };
    const v1: EndpointCore = { ...sold, path: '/v1/mcp', carrier: 'status' };
    const v2: EndpointCore = { ...sold, path: '/v2/', carrier: 'in_band' };
    const modern = this.modernRoute(v2);
    const mcp = [
      this.mcpRoute(v1, 'open'),
      modern,
      // The address to recommend: every version and every client.
      { ...modern, path: '/mcp' },
      plainRoute({ methods: ['GET'], path: '/healthz', access: 'open' }, () =>
        plainReply(200, 'ok'),
      ),
    ];
    const agent = { ...sold, clock, random, push };
    if (hosting === undefined) return [...mcp, agentRoute(agent), ...routes];
    const own = createHostingCore(shared, {
      hosting,
      workspaces: this.options.workspaces,
      isOperator: (request) => access.isOperator(request),
      grantOf: (request) => access.grantOf(request),
    });
    const checkToken = (request: HttpRequest) => access.checkToken(request);
    const skills = agentRoute({ ...agent, hosting: { ...own, checkToken } });
    return [...mcp, skills, this.mcpRoute(own, 'token'), ...routes];
  }

  private mcpRoute(core: EndpointCore, access: FrontRoute['access']): FrontRoute {
    const endpoint = new McpEndpoint(core);
    const handle = limitBodies(core, (exchange) => endpoint.handle(exchange));
    return { ...this.mcpShape(core, access), access, handle };
  }

  private modernRoute(core: EndpointCore): FrontRoute {
    const endpoint = new McpEndpoint(core);
    const session = (exchange: HttpExchange, value: unknown): void => {
      if (headerOf(exchange.request, 'accept') === undefined) exchange.reply(ERROR_REPLIES.accept);
      else endpoint.handleBody(exchange, value);
    };
    let handler: Promise<ModernHandler> | undefined;
    const modern = async (exchange: HttpExchange, value: unknown): Promise<void> => {
      handler ??= this.loadModern(core);
      const loaded = await handler;
      if (!exchange.isOpen) return;
      if (loaded.isModern(exchange.request, value)) return loaded.handle(exchange, value);
      return session(exchange, value);
    };
    const handle = (exchange: HttpExchange): void | Promise<void> => {
      const { request } = exchange;
      if (request.method !== 'POST') return endpoint.handle(exchange);
      const body = readPost(exchange, false);
      if (body === undefined) return undefined;
      const version = headerOf(request, 'mcp-protocol-version');
      if (mayBeModern(version, body.value)) return modern(exchange, body.value);
      return session(exchange, body.value);
    };
    return { ...this.mcpShape(core, 'open'), access: 'open', handle: limitBodies(core, handle) };
  }

  // Loaded on first use: the SDK takes an eighth of the startup time, and most clients use
  // sessions.
  private async loadModern(core: EndpointCore): Promise<ModernHandler> {
    const { ModernHandler: ModernLeg } = await import('../mcp/modern/modern-handler.ts');
    const leg = new ModernLeg(core);
    this.modernHandlers.push(leg);
    return leg;
  }

  private mcpShape({ path }: EndpointCore, access: FrontRoute['access']) {
    const { bodyBytesMax: most, openBodyBytesMax } = this.limits;
    const bodyBytesMax = access === 'open' ? Math.min(most, openBodyBytesMax) : most;
    return { methods: METHODS, path, bodyBytesMax, tooLarge: tooManyBytesReply(bodyBytesMax) };
  }
}

const NOTHING_HOSTED = {
  provider: () => undefined,
  mayChange: false,
  notice: () => undefined,
};

function notifyStart(onRequestStart: (path: string) => void): RequestCheck {
  return ({ path }) => {
    onRequestStart(path);
    return undefined;
  };
}

/** Loads the conformance fixtures, if they are enabled. */
async function loadExtension(options: FrontOptions): Promise<McpExtension | undefined> {
  if (options.conformanceFixtures !== true) return undefined;
  const { createConformanceFixtures } = await import('../mcp/fixtures/fixtures.ts');
  return createConformanceFixtures();
}
