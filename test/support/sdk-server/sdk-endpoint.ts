import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { TRACEPARENT } from '../../../src/domain/common/trace.ts';
import type { McpEventLog } from '../../../src/domain/session/mcp-state.ts';
import { acceptsCoding } from '../../../src/transport/http/compress-reply.ts';
import { headerOf, queryValue } from '../../../src/transport/http/headers.ts';
import type { HttpExchange, HttpReply } from '../../../src/transport/http/host.ts';
import { readHeadPayments } from '../../../src/transport/mcp/call/read-payments.ts';
import { hasRepeatedList } from '../../../src/transport/mcp/endpoint.ts';
import type { EndpointCore } from '../../../src/transport/mcp/endpoint-core.ts';
import { ERROR_REPLIES } from '../../../src/transport/mcp/error-replies.ts';
import { InitializeHandler } from '../../../src/transport/mcp/initialize.ts';
import { type RpcRequest, readMessage } from '../../../src/transport/mcp/json-rpc.ts';
import { RETRY_MS } from '../../../src/transport/mcp/limits.ts';
import { checkPostHead } from '../../../src/transport/mcp/read-post.ts';
import { type Caller, createServiceServer } from '../../../src/transport/mcp/sdk/service-server.ts';
import {
  eventStreamOf,
  replyWhole,
  toWebRequest,
} from '../../../src/transport/mcp/sdk/web-bridge.ts';
import type { McpSession } from '../../../src/transport/mcp/session/session.ts';
import { sessionCaller } from '../../../src/transport/mcp/session/session-caller.ts';
import { supportsTasks } from '../../../src/transport/mcp/versions.ts';
import { BufferedReply } from './buffered-reply.ts';

/**
 * Streamable HTTP on the SDK's own transport, over the tool service and sessions of a front. The
 * corpus compares its answers with those of the front.
 */
export class SdkEndpoint {
  private readonly core: EndpointCore;
  private readonly initialize: InitializeHandler;
  private readonly sessions = new Map<string, SdkSession>();
  private readonly callers = new WeakMap<Request, Caller>();

  constructor(core: EndpointCore) {
    this.core = core;
    this.initialize = new InitializeHandler(core);
  }

  /** Serves POST, GET and DELETE. */
  async handle(exchange: HttpExchange): Promise<void> {
    const body = parse(exchange);
    const message = readMessage(body?.value);
    const isFirst = message?.kind === 'request' && message.method === 'initialize';
    const session = isFirst ? this.startSession(exchange, message) : this.findSession(exchange);
    if (session === undefined) return;
    if (hasTwoLists(body?.value)) return exchange.reply(ERROR_REPLIES.batchLists);
    await this.forward(exchange, session, body);
    if (isFirst && session.transport.sessionId === undefined) this.remove(session.session);
  }

  /** Ends every session. */
  async close(): Promise<void> {
    for (const { transport } of this.sessions.values()) await transport.close();
    this.sessions.clear();
  }

  /** Passes a request to the session's transport, and its reply back. */
  private async forward(
    exchange: HttpExchange,
    { session, transport }: SdkSession,
    body: { readonly value: unknown } | undefined,
  ): Promise<void> {
    const gone = new AbortController();
    exchange.listenClose({ connectionClosed: () => gone.abort() });
    const request = toWebRequest(exchange, this.core.baseUrl(), gone.signal);
    const answer = new BufferedReply(this.core, exchange, body?.value);
    this.callers.set(request, this.callerOf(exchange, session, answer));
    const response = await transport.handleRequest(request, parsedBody(body));
    const stream = eventStreamOf(response);
    if (stream === undefined) await replyWhole(exchange, response);
    else await answer.forward(response, stream);
  }

  private startSession(exchange: HttpExchange, message: RpcRequest): SdkSession | undefined {
    const session = this.initialize.startSession(exchange, message);
    if (session === undefined) return undefined;
    const { sessionId } = session.row;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: createEventStore(this.core.events, sessionId),
      retryInterval: RETRY_MS,
      keepAliveMs: this.core.limits.keepAliveMs,
      onsessionclosed: () => this.remove(session),
    });
    const { service } = this.core.views.forSelection(session.row.selection);
    const server = createServiceServer(service, (request) => this.callerFor(request));
    // Nothing is sent while it connects: the transport only waits for requests.
    server.connect(transport).catch(() => this.remove(session));
    const started = { session, transport };
    this.sessions.set(sessionId, started);
    return started;
  }

  private findSession(exchange: HttpExchange): SdkSession | undefined {
    const sessionId = headerOf(exchange.request, 'mcp-session-id') ?? '';
    const row = this.core.sessions.find(sessionId, this.core.path);
    const found = row === undefined ? undefined : this.sessions.get(sessionId);
    if (found !== undefined) return found;
    const isMissing = sessionId === '';
    const refusal = isMissing ? ERROR_REPLIES.sessionMissing : ERROR_REPLIES.sessionUnknown;
    exchange.reply(checkShape(exchange) ?? refusal);
    return undefined;
  }

  private remove(session: McpSession): void {
    this.core.sessions.remove(session);
    this.sessions.delete(session.row.sessionId);
  }

  private callerOf(exchange: HttpExchange, session: McpSession, answer: BufferedReply): Caller {
    const { request } = exchange;
    const src = session.row.src ?? queryValue(request.query, 'src');
    const traceparent = headerOf(request, TRACEPARENT);
    const { carrier, path } = this.core;
    const resource = carrier === 'status' ? { resourceUrl: `${this.core.baseUrl()}${path}` } : {};
    const principal = this.core.principalOf(request);
    const { list, taskList } = this.core.views.forSelection(session.row.selection);
    const listing = supportsTasks(session.row.protocolVersion) ? taskList : list;
    const isPacked = !answer.isBatch && acceptsCoding(request, 'gzip');
    return {
      principal,
      list: (cursor) => listing.result({ cursor, isPacked }),
      ...sessionCaller(this.core, session, request, principal),
      ...readHeadPayments(request),
      ...(src === undefined ? {} : { src }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(answer.isBatch ? {} : resource),
      onOutcome: (outcome) => answer.setOutcome(outcome),
    };
  }

  private callerFor(request: Request | undefined): Caller {
    const known = request === undefined ? undefined : this.callers.get(request);
    const nobody = { kind: 'address', id: '' } as const;
    return known ?? { principal: nobody, payments: [], hasLegacyPayment: false };
  }
}

/** A session and its transport of the SDK. */
interface SdkSession {
  readonly session: McpSession;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** Adapts the front's event log to the SDK. */
function createEventStore(events: McpEventLog, sessionId: string): EventStore {
  return {
    storeEvent: async (streamId, message) => {
      // The priming event has no content, and must remain empty when replayed.
      const json = Object.keys(message).length === 0 ? '' : JSON.stringify(message);
      return events.append(sessionId, streamId, json);
    },
    getStreamIdForEventId: async (eventId) =>
      events.after(sessionId, eventId) === undefined ? undefined : streamOfEvent(eventId),
    replayEventsAfter: async (lastEventId, { send }) => {
      for (const { eventId, json } of events.after(sessionId, lastEventId) ?? []) {
        if (json !== '') await send(eventId, JSON.parse(json));
      }
      return streamOfEvent(lastEventId);
    },
  };
}

function streamOfEvent(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf(':'));
}

function hasTwoLists(body: unknown): boolean {
  const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
  return hasRepeatedList(messages.filter((message) => message?.kind === 'request'));
}

/** Returns the error in the form of a POST. With a session, the SDK reports it instead. */
function checkShape(exchange: HttpExchange): HttpReply | undefined {
  const { request } = exchange;
  if (request.method !== 'POST') return undefined;
  const refusal = checkPostHead(request);
  if (refusal !== undefined) return refusal;
  const body = parse(exchange);
  if (body === undefined) return ERROR_REPLIES.parse;
  const isList = Array.isArray(body.value);
  return isList || readMessage(body.value) !== undefined ? undefined : ERROR_REPLIES.message;
}

function parse({ request, body }: HttpExchange): { readonly value: unknown } | undefined {
  if (request.method !== 'POST') return undefined;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** Omits a body that is not JSON, so that the transport rejects it. */
function parsedBody(body: { readonly value: unknown } | undefined) {
  return body === undefined ? {} : { parsedBody: body.value };
}
