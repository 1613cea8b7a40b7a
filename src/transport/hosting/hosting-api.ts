import { AppError, ERRORS, toAppError } from '../../domain/common/error.ts';
import { HOSTING_API_PATH } from '../../domain/hosting/api-shapes.ts';
import type { Grant } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../../tools/hosting/deps.ts';
import { tooLargeReply } from '../a2a/read-request.ts';
import { refusalReply } from '../a2a/reply.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { plainReply } from '../http/admit.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../http/host.ts';
import type { RateLimiter } from '../mcp/call/rate-limiter.ts';
import { jsonReply } from '../proof/replies.ts';
import { ApiReach, requireGrant } from './api-reach.ts';
import type { ApiCall, ApiRoute } from './api-route.ts';
import { deployRoutes } from './deploy-routes.ts';
import type { StreamCallers } from './line-streams.ts';
import { LineStreams } from './line-streams.ts';
import { openApiDocument } from './open-api.ts';
import { readCall, readPart } from './read-call.ts';
import { readingRoutes } from './reading-routes.ts';
import { serviceRoutes, workspaceRoutes } from './service-routes.ts';
import { keyValueRoutes, postgresRoutes } from './store-routes.ts';

/**
 * Largest body, in bytes. It fits all variables of a service, even with every character escaped.
 */
export const API_BODY_BYTES_MAX = 2_097_152;

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
/** The path of the OpenAPI document, relative to the prefix. */
const DOCUMENT = 'openapi.json';

/** The dependencies of the hosting API. */
export interface HostingApiDeps extends HostingToolDeps {
  /** Serve only operations that change nothing, to every caller. */
  readonly isReadOnly: boolean;
  /** Receives internal errors, whose details the caller does not see. */
  readonly onFault?: (error: AppError, operation: string) => void;
}

/** Caller identity, rate limits and shutdown, from the front. */
export interface ApiCallers extends StreamCallers {
  grantOf(request: HttpRequest): Grant | undefined;
  readonly gate: RateLimiter;
}

/** Creates the API at `/hosting/api/v1/`: every operation of the provider, for token holders. */
export function hostingApi(parts: HostingApiDeps, callers: ApiCallers): FrontRoute {
  const api = new HostingApi(parts, callers);
  return {
    methods: METHODS,
    path: HOSTING_API_PATH,
    isPrefix: true,
    access: 'token',
    bodyBytesMax: API_BODY_BYTES_MAX,
    tooLarge: tooLargeReply(API_BODY_BYTES_MAX),
    handle: (exchange) => api.handle(exchange),
  };
}

/** The operation that matches a request, and its path parameters. */
interface MatchedRoute {
  readonly route: ApiRoute;
  readonly at: ReadonlyMap<string, string>;
}

class HostingApi {
  readonly #parts: HostingApiDeps;
  readonly #callers: ApiCallers;
  readonly #routes: readonly ApiRoute[];
  readonly #streams: LineStreams;
  readonly #document: string;

  constructor(parts: HostingApiDeps, callers: ApiCallers) {
    this.#parts = parts;
    this.#callers = callers;
    this.#routes = apiRoutes(parts);
    this.#streams = new LineStreams(parts.clock, callers);
    this.#document = JSON.stringify(openApiDocument(this.#routes));
  }

  async handle(exchange: HttpExchange): Promise<void> {
    let operation = 'unknown';
    try {
      const path = exchange.request.path.slice(HOSTING_API_PATH.length);
      if (path === DOCUMENT && exchange.request.method === 'GET') {
        const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
        return exchange.reply({ status: 200, headers, body: this.#document });
      }
      const found = this.#find(exchange.request.method, path);
      if (!('route' in found)) return exchange.reply(found);
      operation = found.route.operation;
      await this.#serve(found, exchange);
    } catch (thrown) {
      exchange.reply(this.#errorReply(thrown, operation));
    }
  }

  async #serve({ route, at }: MatchedRoute, exchange: HttpExchange): Promise<void> {
    const { provider, isReadOnly } = this.#parts;
    const { request } = exchange;
    this.#checkRate(route, request);
    const grant = this.#callers.grantOf(request);
    requireGrant(grant, route);
    if (isReadOnly && route.act !== 'reads') throw readOnlyError(route);
    const principal = this.#callers.principalOf(request);
    const { key, ...input } = readCall(route, exchange);
    const leaving = this.#abortOnLeave(exchange);
    const call: ApiCall<unknown, unknown> = {
      ...input,
      at: (name) => at.get(name) ?? '',
      key: key === undefined ? undefined : `api ${principal.id} ${key}`,
      reach: new ApiReach(provider, grant),
      signal: leaving.signal,
    };
    if (route.stream !== undefined) {
      const items = await route.stream(call, exchange);
      return this.#streams.serve({ exchange, route, items, leaving });
    }
    const answer = await route.run?.(call);
    exchange.reply(buildReply(route, answer));
  }

  /** @throws {AppError} `RATE_LIMITED` */
  #checkRate({ operation, act }: ApiRoute, request: HttpRequest): void {
    const { gate, principalOf } = this.#callers;
    const principal = principalOf(request);
    const refusal =
      gate.countRequest(principal) ??
      (act === 'reads' ? undefined : gate.countToolCall(principal, operation));
    if (refusal === undefined) return;
    const { limit, retryAfterS } = refusal;
    throw new AppError('RATE_LIMITED', { data: { limit, retry_after_s: retryAfterS } });
  }

  /** Returns a controller that aborts when the caller leaves early or the front shuts down. */
  #abortOnLeave(exchange: HttpExchange): AbortController {
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    exchange.listenClose({ connectionClosed: leave });
    if (!exchange.isOpen) leave();
    return leaving;
  }

  #find(method: string, path: string): MatchedRoute | HttpReply {
    const parts = path.split('/');
    const matching = this.#routes.filter((route) => isAt(route, parts));
    const route = matching.find((one) => one.method === method);
    if (route !== undefined) return { route, at: pathParameters(route, parts) };
    if (matching.length === 0) throw unknownPath(path);
    const { headers = [], ...reply } = plainReply(405, 'method not allowed');
    const allow = matching.map((one) => one.method).join(', ');
    return { ...reply, headers: [...headers, 'allow', allow] };
  }

  #errorReply(thrown: unknown, operation: string): HttpReply {
    const error = toAppError(thrown);
    if (ERRORS[error.code].status === 500) this.#parts.onFault?.(error, operation);
    return refusalReply(error);
  }
}

/** Builds the reply of an operation. Its schema removes all fields that it does not define. */
function buildReply({ answer, status }: ApiRoute, value: unknown): HttpReply {
  const body: unknown = answer.parse(value);
  if (status === 204) return { status, headers: ['cache-control', 'no-store'] };
  return jsonReply(status, body);
}

function isAt({ path }: ApiRoute, parts: readonly string[]): boolean {
  const names = path.split('/');
  if (names.length !== parts.length) return false;
  return names.every((name, at) => (isParameter(name) ? parts[at] !== '' : name === parts[at]));
}

function pathParameters({ path }: ApiRoute, parts: readonly string[]): ReadonlyMap<string, string> {
  const found = path.split('/').flatMap((name, at) => {
    const bare = name.slice(1, -1);
    return isParameter(name) ? [[bare, readPart(bare, parts[at] ?? '')] as const] : [];
  });
  return new Map(found);
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

function unknownPath(path: string): AppError {
  const received = path.slice(0, 100);
  const message = `Unknown path ${JSON.stringify(received)}. See ${DOCUMENT} for all paths.`;
  return new AppError('RESOURCE_UNKNOWN', { message, data: { received } });
}

function readOnlyError({ operation }: ApiRoute): AppError {
  const message = `${operation} changes data, but this server is read-only.`;
  return new AppError('FORBIDDEN', { message, data: { received: operation, allowed: 'reads' } });
}

/** Returns every operation of the API, in document order. */
export function apiRoutes(deps: HostingToolDeps): readonly ApiRoute[] {
  const { provider } = deps;
  return [
    ...workspaceRoutes(provider),
    ...serviceRoutes(provider),
    ...deployRoutes(provider),
    ...readingRoutes(provider),
    ...postgresRoutes(deps),
    ...keyValueRoutes(deps),
  ];
}
