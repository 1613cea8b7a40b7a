import {
  type EventStore,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { TRACEPARENT } from '../../../domain/common/trace.ts';
import type { McpEventLog } from '../../../domain/session/mcp-state.ts';
import { acceptsCoding } from '../../http/compress-reply.ts';
import { headerOf, queryValue } from '../../http/headers.ts';
import type { HttpExchange, HttpReply } from '../../http/host.ts';
import { rateReply } from '../call/rate-limiter.ts';
import { readHeadPayments } from '../call/read-payments.ts';
import { checkRate } from '../check-rate.ts';
import { acceptsBoth, hasRepeatedList, isJson } from '../endpoint.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { ERROR_REPLIES } from '../error-replies.ts';
import { InitializeHandler } from '../initialize.ts';
import { type RpcRequest, readMessage } from '../json-rpc.ts';
import { RETRY_MS } from '../limits.ts';
import { BufferedReply } from '../session/buffered-reply.ts';
import type { McpSession } from '../session/session.ts';
import { isForeignSession, sessionCaller } from '../session/session-caller.ts';
import { supportsTasks } from '../versions.ts';
import { type Caller, createServiceServer } from './service-server.ts';
import { eventStreamOf, replyWhole, toWebRequest } from './web-bridge.ts';

/**
 * The fallback for the lean front: streamable HTTP on the SDK's own transport, with the same
 * service, sessions, event log and limits. It is several times slower, and its sessions end with
 * the process. A wire corpus checks that both give the same replies.
 */
export class SdkEndpoint {
  private readonly core: EndpointCore;
  private readonly initialize: InitializeHandler;
  private readonly callers = new WeakMap<Request, Caller>();

  constructor(core: EndpointCore) {
    this.core = core;
    this.initialize = new InitializeHandler(core);
  }

  /** Serves POST, GET and DELETE. The body of a POST may already be parsed. */
  async handle(exchange: HttpExchange, parsed?: { readonly value: unknown }): Promise<void> {
    const body = parsed ?? parse(exchange);
    const message = readMessage(body?.value);
    const isFirst = message?.kind === 'request' && message.method === 'initialize';
    const session = isFirst ? this.startSession(exchange, message) : this.findSession(exchange);
    if (session === undefined) return;
    const refused = isFirst ? undefined : this.checkRates(exchange, body?.value);
    if (refused !== undefined) return exchange.reply(refused);
    await this.forward(exchange, session, body);
    if (isFirst && !session.hasStarted) this.core.sessions.remove(session.session);
  }

  /** Passes a request to the session's transport, and its reply back. */
  private async forward(
    exchange: HttpExchange,
    session: SdkSession,
    body: { readonly value: unknown } | undefined,
  ): Promise<void> {
    const gone = new AbortController();
    exchange.listenClose({ connectionClosed: () => gone.abort() });
    const request = toWebRequest(exchange, this.core.baseUrl(), gone.signal);
    const answer = new BufferedReply(this.core, exchange, body?.value);
    this.callers.set(request, this.callerOf(exchange, session, answer));
    const { transport } = session;
    if (exchange.request.method === 'GET') {
      await session.disconnectReader(headerOf(exchange.request, 'last-event-id'));
    }
    const response = await transport.handleRequest(request, parsedBody(body));
    const stream = eventStreamOf(response);
    if (stream === undefined) await replyWhole(exchange, response);
    else await session.keepAliveDuring(answer, answer.forward(response, stream));
  }

  /** Counts every request of a body. One request over its limit rejects them all. */
  private checkRates({ request }: HttpExchange, body: unknown): HttpReply | undefined {
    const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
    const requests = messages.filter((message) => message?.kind === 'request');
    if (hasRepeatedList(requests)) return ERROR_REPLIES.batchLists;
    for (const message of requests) {
      const refused = checkRate(this.core, request, message);
      if (refused !== undefined) return rateReply(message.id, refused);
    }
    return undefined;
  }

  private startSession(exchange: HttpExchange, message: RpcRequest): SdkSession | undefined {
    const row = this.initialize.startSession(exchange, message);
    if (row === undefined) return undefined;
    const session = new SdkSession(this.core, row, (request) => this.callerFor(request));
    row.attached = session;
    return session;
  }

  // A session from before a restart has no transport, so its client must start a new one.
  private findSession(exchange: HttpExchange): SdkSession | undefined {
    const sessionId = headerOf(exchange.request, 'mcp-session-id') ?? '';
    const row = this.core.sessions.find(sessionId, this.core.path);
    const isForeign = row !== undefined && isForeignSession(this.core, row, exchange.request);
    if (row?.attached instanceof SdkSession && !isForeign) return row.attached;
    if (row !== undefined && !isForeign) this.core.sessions.remove(row);
    const isMissing = sessionId === '';
    const refusal = isMissing ? ERROR_REPLIES.sessionMissing : ERROR_REPLIES.sessionUnknown;
    exchange.reply(checkShape(exchange) ?? refusal);
    return undefined;
  }

  private callerOf(exchange: HttpExchange, session: SdkSession, answer: BufferedReply): Caller {
    const { request } = exchange;
    const src = session.session.row.src ?? queryValue(request.query, 'src');
    const traceparent = headerOf(request, TRACEPARENT);
    const { carrier, path } = this.core;
    const resource = carrier === 'status' ? { resourceUrl: `${this.core.baseUrl()}${path}` } : {};
    const principal = this.core.principalOf(request);
    const { list, taskList } = this.core.views.forSelection(session.session.row.selection);
    const listing = supportsTasks(session.session.row.protocolVersion) ? taskList : list;
    const isPacked = !answer.isBatch && acceptsCoding(request, 'gzip');
    return {
      principal,
      list: (cursor) => listing.result({ cursor, isPacked }),
      ...sessionCaller(this.core, session.session, request, principal),
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

/** The SDK server and transport of a session. */
class SdkSession {
  readonly session: McpSession;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  private readonly server: Server;
  private readonly core: EndpointCore;
  private readonly open = new Set<BufferedReply>();

  constructor(
    core: EndpointCore,
    session: McpSession,
    callerOf: (request: Request | undefined) => Caller,
  ) {
    this.core = core;
    this.session = session;
    const { sessionId } = session.row;
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: createEventStore(core.events, sessionId),
      retryInterval: RETRY_MS,
      keepAliveMs: core.limits.keepAliveMs,
      onsessionclosed: () => core.sessions.remove(session),
    });
    const { service } = core.views.forSelection(session.row.selection);
    this.server = createServiceServer(service, callerOf);
    // Nothing is sent while it connects: the transport only waits for requests.
    this.server.connect(this.transport).catch(() => this.core.sessions.remove(session));
  }

  /** Whether the handshake succeeded. */
  get hasStarted(): boolean {
    return this.transport.sessionId !== undefined;
  }

  get isBusy(): boolean {
    return this.open.size > 0;
  }

  end(): void {
    this.server.close().catch(() => undefined);
  }

  /** Keeps the session alive while a reply is in progress. */
  async keepAliveDuring(answer: BufferedReply, passed: Promise<void>): Promise<void> {
    this.open.add(answer);
    try {
      await passed;
    } finally {
      this.open.delete(answer);
    }
  }

  /**
   * Disconnects the reader of a stream before the SDK rejects the next one: the first connection
   * may be dead behind a proxy.
   */
  async disconnectReader(lastEventId: string | undefined): Promise<void> {
    const streamId = lastEventId === undefined ? STANDALONE_STREAM : streamOfEvent(lastEventId);
    if (streamId === STANDALONE_STREAM) this.transport.closeStandaloneSSEStream();
    for (const answer of this.open) if (answer.streamId === streamId) await answer.stopReading();
  }
}

/** The SDK's id of a session's standalone stream. */
const STANDALONE_STREAM = '_GET_stream';

function streamOfEvent(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf(':'));
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

/** Returns the error in the form of a POST. With a session, the SDK reports it instead. */
function checkShape(exchange: HttpExchange): HttpReply | undefined {
  const { request } = exchange;
  if (request.method !== 'POST') return undefined;
  if (!isJson(headerOf(request, 'content-type'))) return ERROR_REPLIES.contentType;
  if (!acceptsBoth(headerOf(request, 'accept'))) return ERROR_REPLIES.accept;
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
