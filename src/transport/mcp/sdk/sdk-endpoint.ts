import {
  type EventStore,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { TRACEPARENT } from '../../../domain/common/trace.ts';
import type { McpEventLog } from '../../../domain/session/mcp-state.ts';
import { headerOf, queryValue } from '../../http/headers.ts';
import type { HttpExchange, HttpReply } from '../../http/host.ts';
import { acceptsCoding } from '../../http/pack-reply.ts';
import { tooSoon } from '../admit-message.ts';
import { headPayments } from '../call/presented.ts';
import { rateReply } from '../call/rate-gate.ts';
import { acceptsBoth, hasManyLists, isJson } from '../endpoint.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { InitializeAnswer } from '../initialize.ts';
import { type RpcRequest, readMessage } from '../json-rpc.ts';
import { RETRY_MS } from '../limits.ts';
import { REFUSALS } from '../refusal.ts';
import { HeldAnswer } from '../session/held-answer.ts';
import type { McpSession } from '../session/session.ts';
import { isOthers, sessionCaller } from '../session/session-caller.ts';
import { hasTasks } from '../versions.ts';
import { type Caller, makeServiceServer } from './service-server.ts';
import { replyWhole, streamOf, webRequestOf } from './web-bridge.ts';

/**
 * The fallback for the lean front: streamable HTTP on the SDK's own transport, with the same
 * service, sessions, event log and limits. It is several times slower, and its sessions end with
 * the process. A wire corpus checks that both give the same replies.
 */
export class SdkEndpoint {
  private readonly core: EndpointCore;
  private readonly initialize: InitializeAnswer;
  private readonly callers = new WeakMap<Request, Caller>();

  constructor(core: EndpointCore) {
    this.core = core;
    this.initialize = new InitializeAnswer(core);
  }

  /** Serves POST, GET and DELETE. The body of a POST may already be parsed. */
  async handle(exchange: HttpExchange, parsed?: { readonly value: unknown }): Promise<void> {
    const body = parsed ?? parse(exchange);
    const message = readMessage(body?.value);
    const isFirst = message?.kind === 'request' && message.method === 'initialize';
    const session = isFirst ? this.begin(exchange, message) : this.sessionOf(exchange);
    if (session === undefined) return;
    const refused = isFirst ? undefined : this.refusalOf(exchange, body?.value);
    if (refused !== undefined) return exchange.reply(refused);
    await this.pass(exchange, session, body);
    if (isFirst && !session.isBegun) this.core.sessions.remove(session.of);
  }

  /** Passes a request to the session's transport, and its reply back. */
  private async pass(
    exchange: HttpExchange,
    session: SdkSession,
    body: { readonly value: unknown } | undefined,
  ): Promise<void> {
    const gone = new AbortController();
    exchange.listenClose({ connectionClosed: () => gone.abort() });
    const request = webRequestOf(exchange, this.core.baseUrl(), gone.signal);
    const answer = new HeldAnswer(this.core, exchange, body?.value);
    this.callers.set(request, this.callerOf(exchange, session, answer));
    const { transport } = session;
    if (exchange.request.method === 'GET') {
      await session.letGo(headerOf(exchange.request, 'last-event-id'));
    }
    const response = await transport.handleRequest(request, parsedBody(body));
    const stream = streamOf(response);
    if (stream === undefined) await replyWhole(exchange, response);
    else await session.during(answer, answer.pass(response, stream));
  }

  /** Counts every request of a body. One request over its limit rejects them all. */
  private refusalOf({ request }: HttpExchange, body: unknown): HttpReply | undefined {
    const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
    const requests = messages.filter((message) => message?.kind === 'request');
    if (hasManyLists(requests)) return REFUSALS.batchLists;
    for (const message of requests) {
      const refused = tooSoon(this.core, request, message);
      if (refused !== undefined) return rateReply(message.id, refused);
    }
    return undefined;
  }

  private begin(exchange: HttpExchange, message: RpcRequest): SdkSession | undefined {
    const row = this.initialize.begin(exchange, message);
    if (row === undefined) return undefined;
    const session = new SdkSession(this.core, row, (request) => this.known(request));
    row.attached = session;
    return session;
  }

  // A session from before a restart has no transport, so its client must start a new one.
  private sessionOf(exchange: HttpExchange): SdkSession | undefined {
    const sessionId = headerOf(exchange.request, 'mcp-session-id') ?? '';
    const row = this.core.sessions.find(sessionId, this.core.path);
    const isForeign = row !== undefined && isOthers(this.core, row, exchange.request);
    if (row?.attached instanceof SdkSession && !isForeign) return row.attached;
    if (row !== undefined && !isForeign) this.core.sessions.remove(row);
    const isMissing = sessionId === '';
    const refusal = isMissing ? REFUSALS.sessionMissing : REFUSALS.sessionUnknown;
    exchange.reply(shapeFault(exchange) ?? refusal);
    return undefined;
  }

  private callerOf(exchange: HttpExchange, session: SdkSession, answer: HeldAnswer): Caller {
    const { request } = exchange;
    const src = session.of.row.src ?? queryValue(request.query, 'src');
    const traceparent = headerOf(request, TRACEPARENT);
    const { carrier, path } = this.core;
    const resource = carrier === 'status' ? { resourceUrl: `${this.core.baseUrl()}${path}` } : {};
    const principal = this.core.principalOf(request);
    const { list, taskList } = this.core.views.of(session.of.row.selection);
    const listing = hasTasks(session.of.row.protocolVersion) ? taskList : list;
    const isPacked = !answer.isBatch && acceptsCoding(request, 'gzip');
    return {
      principal,
      list: (cursor) => listing.result({ cursor, isPacked }),
      ...sessionCaller(this.core, session.of, request, principal),
      ...headPayments(request),
      ...(src === undefined ? {} : { src }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(answer.isBatch ? {} : resource),
      onOutcome: (outcome) => answer.heard(outcome),
    };
  }

  private known(request: Request | undefined): Caller {
    const known = request === undefined ? undefined : this.callers.get(request);
    const nobody = { kind: 'address', id: '' } as const;
    return known ?? { principal: nobody, payments: [], hasLegacyPayment: false };
  }
}

/** The SDK server and transport of a session. */
class SdkSession {
  readonly of: McpSession;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  private readonly server: Server;
  private readonly core: EndpointCore;
  private readonly open = new Set<HeldAnswer>();

  constructor(
    core: EndpointCore,
    session: McpSession,
    callerOf: (request: Request | undefined) => Caller,
  ) {
    this.core = core;
    this.of = session;
    const { sessionId } = session.row;
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: eventStoreOf(core.events, sessionId),
      retryInterval: RETRY_MS,
      keepAliveMs: core.limits.keepAliveMs,
      onsessionclosed: () => core.sessions.remove(session),
    });
    const { service } = core.views.of(session.row.selection);
    this.server = makeServiceServer(service, callerOf);
    // Nothing is sent while it connects: the transport only waits for requests.
    this.server.connect(this.transport).catch(() => this.core.sessions.remove(session));
  }

  /** Whether the handshake succeeded. */
  get isBegun(): boolean {
    return this.transport.sessionId !== undefined;
  }

  get isBusy(): boolean {
    return this.open.size > 0;
  }

  end(): void {
    this.server.close().catch(() => undefined);
  }

  /** Keeps the session alive while a reply is in progress. */
  async during(answer: HeldAnswer, passed: Promise<void>): Promise<void> {
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
  async letGo(lastEventId: string | undefined): Promise<void> {
    const streamId = lastEventId === undefined ? STANDALONE_STREAM : streamOfEvent(lastEventId);
    if (streamId === STANDALONE_STREAM) this.transport.closeStandaloneSSEStream();
    for (const answer of this.open) if (answer.streamId === streamId) await answer.leave();
  }
}

/** The SDK's id of a session's standalone stream. */
const STANDALONE_STREAM = '_GET_stream';

function streamOfEvent(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf(':'));
}

/** Adapts the front's event log to the SDK. */
function eventStoreOf(events: McpEventLog, sessionId: string): EventStore {
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
function shapeFault(exchange: HttpExchange): HttpReply | undefined {
  const { request } = exchange;
  if (request.method !== 'POST') return undefined;
  if (!isJson(headerOf(request, 'content-type'))) return REFUSALS.contentType;
  if (!acceptsBoth(headerOf(request, 'accept'))) return REFUSALS.accept;
  const body = parse(exchange);
  if (body === undefined) return REFUSALS.parse;
  const isList = Array.isArray(body.value);
  return isList || readMessage(body.value) !== undefined ? undefined : REFUSALS.message;
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
