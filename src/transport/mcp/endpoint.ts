import { PAYMENT_SIGNATURE_HEADER } from '../../domain/payment/payment.ts';
import type { McpOpenCall } from '../../domain/session/mcp-state.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../http/host.ts';
import { rateErrorJson, rateReply } from './call/rate-limiter.ts';
import { readHeadPayments } from './call/read-payments.ts';
import { ResponseWriter } from './call/response-writer.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { ERROR_REPLIES, versionReply } from './error-replies.ts';
import { InitializeHandler } from './initialize.ts';
import { errorJson, type RpcMessage, type RpcRequest, readMessage } from './json-rpc.ts';
import { LeanMethods } from './lean-methods.ts';
import { claimedVersion, mayBeModern } from './modern/modern-detection.ts';
import { acceptsStream, readPost } from './read-post.ts';
import { findMissedEvents } from './session/missed-events.ts';
import { resumePost } from './session/resume-post.ts';
import type { McpSession } from './session/session.ts';
import { isForeignSession } from './session/session-caller.ts';
import { SseChannel, STANDALONE_STREAM } from './sse-channel.ts';
import { ASSUMED_VERSION, SESSION_VERSIONS, supportsBatches, supportsPriming } from './versions.ts';

/** JSON-RPC code of 2026-07-28 for an unsupported version. */
const VERSION_UNSUPPORTED = -32_022;
const VERSION_CHARS_MAX = 40;

/** Streamable HTTP of MCP on one path, for the versions that start with `initialize`. */
export class McpEndpoint {
  private readonly core: EndpointCore;
  private readonly methods: LeanMethods;
  private readonly initialize: InitializeHandler;

  constructor(core: EndpointCore) {
    this.core = core;
    this.methods = new LeanMethods(core);
    this.initialize = new InitializeHandler(core);
  }

  /** Serves POST, GET and DELETE. The body is complete and within its limit. */
  handle(exchange: HttpExchange): void {
    const { method } = exchange.request;
    if (method === 'POST') this.handlePost(exchange);
    else if (method === 'GET') this.handleGet(exchange);
    else this.handleDelete(exchange);
  }

  /** Serves a POST whose body is already parsed. */
  handleBody(exchange: HttpExchange, body: unknown): void {
    if (Array.isArray(body)) {
      this.handleBatch(exchange, body);
      return;
    }
    const message = readMessage(body);
    if (message === undefined) {
      exchange.reply(ERROR_REPLIES.message);
      return;
    }
    if (message.kind === 'request' && message.method === 'initialize') {
      this.initialize.answer(exchange, message);
      return;
    }
    const refusal = this.core.namesVersions === true && rejectModern(exchange.request, message);
    if (refusal) {
      exchange.reply(refusal);
      return;
    }
    const session = this.findSession(exchange);
    if (session === undefined) return;
    if (message.kind === 'request') this.handleRequest(exchange, session, message);
    else {
      this.handleOneWay(session, message);
      exchange.reply({ status: 202 });
    }
  }

  private handlePost(exchange: HttpExchange): void {
    const body = readPost(exchange, true);
    if (body !== undefined) this.handleBody(exchange, body.value);
  }

  private handleRequest(exchange: HttpExchange, session: McpSession, message: RpcRequest): void {
    if (session.find(message.id) !== undefined) {
      exchange.reply(ERROR_REPLIES.repeatedId);
      return;
    }
    if (!this.hasCapacity(session, 1)) {
      exchange.reply(ERROR_REPLIES.calls);
      return;
    }
    const refused = this.core.gate.countRequest(this.core.principalOf(exchange.request));
    if (refused !== undefined) {
      exchange.reply(rateReply(message.id, refused));
      return;
    }
    if (this.methods.answerFromCache(exchange, session, message)) return;
    const writer = new ResponseWriter(this.core, exchange, session);
    this.methods.answer(writer, message, readHeadPayments(exchange.request));
  }

  private handleBatch(exchange: HttpExchange, items: readonly unknown[]): void {
    if (items.length === 0 || items.length > this.core.limits.batchMax) {
      exchange.reply(ERROR_REPLIES.batchSize);
      return;
    }
    const messages = items.map(readMessage).filter((message) => message !== undefined);
    if (messages.length !== items.length) {
      exchange.reply(ERROR_REPLIES.message);
      return;
    }
    const requests = messages.filter((message) => message.kind === 'request');
    if (requests.some((request) => request.method === 'initialize')) {
      exchange.reply(ERROR_REPLIES.initializeInBatch);
      return;
    }
    const session = this.findSession(exchange);
    if (session === undefined) return;
    const refusal = this.checkBatch(exchange.request, session, requests);
    if (refusal !== undefined) {
      exchange.reply(refusal);
      return;
    }
    for (const message of messages) {
      if (message.kind !== 'request') this.handleOneWay(session, message);
    }
    if (requests.length === 0) {
      exchange.reply({ status: 202 });
      return;
    }
    this.answerEach(new ResponseWriter(this.core, exchange, session, requests.length), requests);
  }

  private answerEach(lane: ResponseWriter, requests: readonly RpcRequest[]): void {
    const { request: asked } = lane.exchange;
    const head = readHeadPayments(asked);
    const principal = this.core.principalOf(asked);
    for (const request of requests) {
      const refused = this.core.gate.countRequest(principal);
      if (refused === undefined) this.methods.answer(lane, request, head);
      else lane.respond(rateErrorJson(request.id, refused));
    }
  }

  private checkBatch(request: HttpRequest, session: McpSession, requests: readonly RpcRequest[]) {
    if (!supportsBatches(session.row.protocolVersion)) return ERROR_REPLIES.batch;
    const ids = new Set(requests.map(({ id }) => id));
    const isTaken = requests.some(({ id }) => session.find(id) !== undefined);
    if (ids.size !== requests.length || isTaken) return ERROR_REPLIES.repeatedId;
    if (!this.hasCapacity(session, requests.length)) return ERROR_REPLIES.calls;
    if (hasRepeatedList(requests)) return ERROR_REPLIES.batchLists;
    const calls = requests.filter(({ method }) => method === 'tools/call');
    const isPaid = headerOf(request, PAYMENT_SIGNATURE_HEADER) !== undefined;
    return isPaid && calls.length > 1 ? ERROR_REPLIES.batchPayment : undefined;
  }

  private hasCapacity(session: McpSession, wanted: number): boolean {
    const { limits, load } = this.core;
    if (load.calls + wanted > limits.callsMax) return false;
    return session.openCalls.length + wanted <= limits.callsPerSessionMax;
  }

  private handleOneWay(session: McpSession, message: Exclude<RpcMessage, RpcRequest>): void {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      session.find(message.params['requestId'])?.cancel();
    }
    if (message.kind === 'response' && session.clientRequests?.handleResponse(message.raw) === true)
      return;
    session.sdk?.deliver(message.raw);
  }

  private handleGet(exchange: HttpExchange): void {
    if (!acceptsStream(exchange.request)) {
      exchange.reply(ERROR_REPLIES.acceptStream);
      return;
    }
    const session = this.findSession(exchange);
    if (session === undefined) return;
    const lastEventId = headerOf(exchange.request, 'last-event-id');
    if (lastEventId === undefined) this.listen(exchange, session);
    else this.resume(exchange, session, lastEventId);
  }

  private listen(exchange: HttpExchange, session: McpSession): void {
    const channel = session.standalone ?? this.openStandalone(session);
    channel.attach(exchange, [], supportsPriming(session.row.protocolVersion));
  }

  private resume(exchange: HttpExchange, session: McpSession, lastEventId: string): void {
    const { sessionId } = session.row;
    const streamId = lastEventId.slice(0, lastEventId.lastIndexOf(':'));
    const calls = this.interruptedCalls(session, streamId);
    const missed = findMissedEvents(this.core.events, sessionId, lastEventId, calls.length > 0);
    if (missed === undefined) {
      exchange.reply(ERROR_REPLIES.eventUnknown);
      return;
    }
    if (streamId === STANDALONE_STREAM) session.standalone ??= this.openStandalone(session);
    const channel = streamId === STANDALONE_STREAM ? session.standalone : session.channel(streamId);
    if (channel !== undefined) {
      channel.attach(exchange, missed.rows, false);
      return;
    }
    if (calls.length > 0) {
      if (this.hasCapacity(session, calls.length)) {
        resumePost(this.core, { exchange, session, streamId, missed, calls });
      } else exchange.reply(ERROR_REPLIES.calls);
      return;
    }
    // The request is already answered, so the log contains the rest.
    const rest = new SseChannel(this.core, { sessionId: session.row.sessionId, streamId });
    rest.attach(exchange, missed.rows, false);
    rest.end();
  }

  // Returns the calls that a restart interrupted on a stream. A live stream has a channel.
  private interruptedCalls(session: McpSession, streamId: string): readonly McpOpenCall[] {
    const isLive = streamId === STANDALONE_STREAM || session.channel(streamId) !== undefined;
    return isLive ? [] : this.core.openCalls.of(session.row.sessionId, streamId);
  }

  private openStandalone(session: McpSession): SseChannel {
    const { sessionId } = session.row;
    const channel = new SseChannel(this.core, { sessionId, streamId: STANDALONE_STREAM });
    session.standalone = channel;
    return channel;
  }

  private handleDelete(exchange: HttpExchange): void {
    const session = this.findSession(exchange);
    if (session === undefined) return;
    this.core.sessions.remove(session);
    exchange.reply({ status: 200 });
  }

  // Sends the error reply itself when there is no valid session.
  private findSession(exchange: HttpExchange): McpSession | undefined {
    const { request } = exchange;
    const sessionId = headerOf(request, 'mcp-session-id');
    if (sessionId === undefined || sessionId === '') {
      exchange.reply(ERROR_REPLIES.sessionMissing);
      return undefined;
    }
    const session = this.core.sessions.find(sessionId, this.core.path);
    if (session === undefined || isForeignSession(this.core, session, request)) {
      exchange.reply(ERROR_REPLIES.sessionUnknown);
      return undefined;
    }
    const version = headerOf(request, 'mcp-protocol-version');
    const { protocolVersion } = session.row;
    // Naming the assumed version says no more than no header does, and such a request is served.
    if (version === undefined || version === ASSUMED_VERSION) return session;
    if (version === protocolVersion) return session;
    exchange.reply(versionReply(version, protocolVersion));
    return undefined;
  }
}

/** Returns whether a batch lists tools twice: the reply would be far longer than the request. */
export function hasRepeatedList(requests: readonly RpcRequest[]): boolean {
  return requests.filter(({ method }) => method === 'tools/list').length > 1;
}

/**
 * Builds the rejection of a 2026-07-28 message where clients must start with `initialize`. It lists
 * the supported versions, so that the client can retry.
 *
 * @returns `undefined` for messages that belong, or may belong, to a session.
 */
function rejectModern(request: HttpRequest, message: RpcMessage): HttpReply | undefined {
  if (headerOf(request, 'mcp-session-id') !== undefined) return undefined;
  const version = headerOf(request, 'mcp-protocol-version');
  if (!mayBeModern(version, message.raw)) return undefined;
  const requested = (claimedVersion(message.raw) ?? version ?? '').slice(0, VERSION_CHARS_MAX);
  const id = message.kind === 'request' ? message.id : null;
  const errorText = 'Unsupported protocol version: start with initialize and a supported version';
  const body = errorJson(id, VERSION_UNSUPPORTED, errorText, {
    supported: [...SESSION_VERSIONS],
    requested,
  });
  return { status: 400, headers: ['content-type', 'application/json'], body };
}
