import {
  classifyInboundRequest,
  createMcpHandler,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { AppError, invariant } from '../../../domain/common/error.ts';
import type { JsonObject } from '../../../domain/common/json.ts';
import { TRACEPARENT } from '../../../domain/common/trace.ts';
import type { ToolService } from '../../../domain/tool/tool.ts';
import { acceptsCoding } from '../../http/compress-reply.ts';
import { headerOf, queryValue } from '../../http/headers.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../../http/host.ts';
import { type RateLimitRejection, rateReply } from '../call/rate-limiter.ts';
import { readHeadPayments } from '../call/read-payments.ts';
import { selectionErrorReply, selectView } from '../call/tool-selection.ts';
import type { ToolView } from '../call/tool-views.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import type { ModernExtension } from '../extension.ts';
import { errorJson, RPC, type RpcMessage, type RpcRequest, readMessage } from '../json-rpc.ts';
import { type Caller, createServiceServer } from '../sdk/service-server.ts';
import {
  eventStreamOf,
  replyStream,
  replyWhole,
  responseHeaders,
  toWebRequest,
} from '../sdk/web-bridge.ts';
import { declaresTasks, missingExtension } from '../tasks/extension-tasks.ts';
import { parseSubscription, type SubscriptionRequest } from '../tasks/task-subscription.ts';
import { TaskSubscriptions } from '../tasks/task-subscriptions.ts';
import { mayBeModern } from './modern-detection.ts';

interface Owned {
  readonly by: ModernExtension;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Serves 2026-07-28 over HTTP, through the SDK's own handler. */
export class ModernHandler {
  private readonly core: EndpointCore;
  private readonly handler: McpHttpHandler;
  private readonly callers = new WeakMap<Request, Caller>();
  private readonly views = new WeakMap<Request, ToolView>();
  private readonly owned = new WeakMap<Request, Owned>();
  private readonly subscriptions: TaskSubscriptions | undefined;

  constructor(core: EndpointCore) {
    this.core = core;
    const { jobs } = core.service;
    const { keepAliveMs } = core.limits;
    if (jobs !== undefined) {
      this.subscriptions = new TaskSubscriptions(jobs, { pulse: core.pulse, keepAliveMs });
    }
    this.handler = createMcpHandler(
      ({ requestInfo }) => {
        const view = (requestInfo && this.views.get(requestInfo)) ?? core.views.all;
        const owned = requestInfo && this.owned.get(requestInfo);
        if (owned !== undefined) {
          const request = { params: owned.params, notify: this.handler.notify };
          return owned.by.makeServer(view.service, request);
        }
        const scope = view === core.views.all ? 'public' : 'private';
        return createServiceServer(view.service, () => this.callerOf(requestInfo), scope, 'modern');
      },
      { legacy: 'reject', keepAliveMs: core.limits.keepAliveMs },
    );
  }

  /** Returns whether a POST uses 2026-07-28 or claims a version of that family. */
  isModern(request: HttpRequest, body: unknown): boolean {
    const version = headerOf(request, 'mcp-protocol-version');
    if (!mayBeModern(version, body)) return false;
    const route = classifyInboundRequest({
      httpMethod: request.method,
      body,
      ...(version === undefined ? {} : { protocolVersionHeader: version }),
      ...optionalEntry('mcpMethodHeader', headerOf(request, 'mcp-method')),
      ...optionalEntry('mcpNameHeader', headerOf(request, 'mcp-name')),
    });
    return route.kind !== 'legacy';
  }

  /** Answers a POST for which `isModern` returned true. */
  async handle(exchange: HttpExchange, parsedBody: unknown): Promise<void> {
    const view = this.admit(exchange, parsedBody);
    if (view === undefined) return;
    const gone = new AbortController();
    exchange.listenClose({ connectionClosed: () => gone.abort() });
    const request = this.webRequest(exchange, view, gone.signal);
    this.views.set(request, view);
    this.recordOwned(request, parsedBody);
    const response = await this.handler.fetch(request, { parsedBody });
    const message = readMessage(parsedBody);
    const wish = this.subscriptions === undefined ? undefined : parseSubscription(message);
    if (wish !== undefined && response.status === 200) {
      await response.body?.cancel();
      await this.listen(exchange, wish);
      return;
    }
    // Results and prices belong to one caller, so no cache may store them.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    const body = eventStreamOf(response);
    const isList = message?.kind === 'request' && message.method === 'tools/list';
    if (isList && body === undefined && response.status === 200 && !this.owned.has(request)) {
      exchange.reply(await listReply(view, exchange.request, message, response));
    } else if (body === undefined) await replyWhole(exchange, response);
    else await replyStream(exchange, response, body);
  }

  close(): Promise<void> {
    this.subscriptions?.close();
    return this.handler.close();
  }

  private recordOwned(request: Request, parsedBody: unknown): void {
    const message = readMessage(parsedBody);
    const by = this.core.extension?.modern;
    if (by === undefined || message?.kind !== 'request') return;
    const { method, params } = message;
    if (by.owns(method, params)) this.owned.set(request, { by, params });
  }

  // The SDK has accepted the subscription, but does not know tasks.
  private async listen(exchange: HttpExchange, wish: SubscriptionRequest): Promise<void> {
    const { id, capabilities } = wish;
    const headers = ['content-type', 'application/json'];
    if (!declaresTasks(capabilities)) {
      const { code, message, data } = missingExtension();
      exchange.reply({ status: 400, headers, body: errorJson(id, code, message, data) });
    } else if (this.subscriptions === undefined || this.subscriptions.isFull) {
      const body = errorJson(id, RPC.INTERNAL, 'Too many subscriptions are open.');
      exchange.reply({ status: 503, headers: [...headers, 'retry-after', '1'], body });
    } else await this.subscriptions.serve(exchange, wish);
  }

  // Sends the error reply itself for rate limits and invalid selections.
  private admit(exchange: HttpExchange, parsedBody: unknown): ToolView | undefined {
    const message = readMessage(parsedBody);
    const id = message?.kind === 'request' ? message.id : null;
    const view = selectView(this.core, exchange.request);
    const { service } = view instanceof AppError ? this.core : view;
    const refused = checkRate(this.core, exchange.request, message, service);
    if (refused !== undefined) exchange.reply(rateReply(id, refused));
    else if (view instanceof AppError) exchange.reply(selectionErrorReply(id, view));
    else return view;
    return undefined;
  }

  private webRequest(exchange: HttpExchange, view: ToolView, signal: AbortSignal): Request {
    const { query } = exchange.request;
    const request = toWebRequest(exchange, this.core.baseUrl(), signal);
    const src = queryValue(query, 'src');
    this.callers.set(request, {
      principal: this.core.principalOf(exchange.request),
      ...readHeadPayments(exchange.request),
      list: (cursor) => (view.list.hasCursor(cursor) ? NO_TOOLS : undefined),
      resourceUrl: `${this.core.baseUrl()}${this.core.path}`,
      ending: this.core.ending,
      ...(src === undefined ? {} : { src }),
      ...optionalEntry('traceparent', headerOf(exchange.request, TRACEPARENT)),
    });
    return request;
  }

  private callerOf(request: Request | undefined): Caller {
    const known = request === undefined ? undefined : this.callers.get(request);
    const nobody = { kind: 'address', id: '' } as const;
    return known ?? { principal: nobody, payments: [], hasLegacyPayment: false };
  }
}

/** An empty list for the SDK, which would otherwise parse and serialise half a megabyte. */
const NO_TOOLS = '{"tools":[]}';

/** Inserts the cached listing into the SDK's reply to a valid request. */
async function listReply(
  { list }: ToolView,
  request: HttpRequest,
  { id, params }: RpcRequest,
  response: Response,
): Promise<HttpReply> {
  const body = await response.text();
  const { result } = JSON.parse(body) as { readonly result?: JsonObject };
  const heads = responseHeaders(response);
  if (result === undefined) return { status: response.status, headers: heads, body };
  const { tools: _none, ...members } = result;
  const ask = { cursor: params['cursor'], isPacked: acceptsCoding(request, 'gzip') };
  const reply = list.reply(id, ask, members);
  invariant(reply !== undefined, 'the SDK was told that the cursor is known');
  const own = heads.filter((_text, at) => heads[at - (at % 2)] !== 'content-type');
  return { ...reply, headers: [...own, ...(reply.headers ?? [])] };
}

function optionalEntry<Key extends string>(key: Key, value: string | undefined) {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

/** Counts a message for the SDK against the rate limits. Returns the rejection, if any. */
function checkRate(
  core: EndpointCore,
  request: HttpRequest,
  message: RpcMessage | undefined,
  service: ToolService,
): RateLimitRejection | undefined {
  const { gate, views } = core;
  const principal = core.principalOf(request);
  const refused = gate.countRequest(principal);
  if (refused !== undefined || message?.kind !== 'request') return refused;
  const { params } = message;
  const { name } = service.unwrap?.(params['name'], params['arguments']) ?? params;
  const isCall = message.method === 'tools/call' && typeof name === 'string';
  return isCall && views.rateLimitedTools.has(name)
    ? gate.countToolCall(principal, name)
    : undefined;
}
