import type { HttpResponse, HttpRequest as UwsRequest } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { SECOND_MS } from '../../../domain/common/time.ts';
import { isLoopback } from '../address.ts';
import { Admitter, bodyTooLargeReply, CLOSING_REPLY, plainReply } from '../admit.ts';
import { BodyDeadlines } from '../body-deadlines.ts';
import { headerOf } from '../headers.ts';
import type {
  CloseListener,
  HttpExchange,
  HttpHost,
  HttpReply,
  HttpRequest,
  HttpRoute,
  HttpStream,
} from '../host.ts';
import type { HostOptions } from '../host-options.ts';
import { CONNECTION_BOUNDS } from '../host-options.ts';
import { NodeHost } from '../node/node-host.ts';
import { SocketPool } from '../socket-pool.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { UwsListener } from './uws-listener.ts';
import type { UwsNative } from './uws-native.ts';
import { UwsSockets, type UwsUpgrade } from './uws-sockets.ts';
import { type Destroyable, UwsStream } from './uws-stream.ts';

const EMPTY = Buffer.alloc(0);
const CLOSING_ANSWER = { kind: 'reply', reply: CLOSING_REPLY } as const;
/**
 * Idle timeout announced to clients, in seconds. The engine closes an idle connection after 8 to 12
 * s without notice. A client that sent its next request then would see a reset.
 */
const ANNOUNCED_IDLE_S = 7;
/** Limits of the fallback server, which serves few clients, each for a short time. */
const FALLBACK_BOUNDS = {
  connectionsMax: 16,
  headMs: 2_000,
  requestMs: 10_000,
  idleMs: ANNOUNCED_IDLE_S * SECOND_MS,
  lookMs: 500,
};

/** Serves HTTP through native uWebSockets.js. */
export class UwsHost implements HttpHost {
  readonly engine = 'uws';
  readonly openConnections = new Set<Destroyable>();
  readonly options: HostOptions;
  isClosing = false;
  readonly bodyDeadlines: BodyDeadlines;
  private readonly listener: UwsListener;
  private readonly fallback: NodeHost;
  private readonly admitter: Admitter;
  private readonly socketPool: SocketPool;
  private readonly sockets: UwsSockets;
  /**
   * Set when the server listens on a numeric loopback address, where every peer has this address.
   */
  private peerAddress: string | undefined;

  constructor(native: UwsNative, options: HostOptions) {
    this.options = options;
    const bounds = { ...CONNECTION_BOUNDS, ...options.bounds };
    this.admitter = new Admitter(options);
    this.bodyDeadlines = new BodyDeadlines(options.clock, bounds);
    this.socketPool = new SocketPool(options);
    this.sockets = new UwsSockets(this.socketPool);
    const { api } = native;
    const app = api.App();
    this.sockets.serve(app, (response, upgrade) => this.handleUpgrade(response, upgrade));
    app.any('/*', (response, head) => this.handleRequest(response, head));
    const { clock, descriptors, ...others } = options;
    this.fallback = new NodeHost({ ...others, clock, bounds: FALLBACK_BOUNDS });
    const { connectionsMax } = bounds;
    this.listener = new UwsListener({
      api,
      app,
      clock,
      connectionsMax,
      descriptors,
      fallback: this.fallback,
    });
  }

  listen(host: string, port: number): Promise<number> {
    this.peerAddress = isLoopback(host) && host !== 'localhost' ? host : undefined;
    return this.listener.start(host, port);
  }

  async close(graceMs: number): Promise<void> {
    if (!this.listener.isRunning || this.isClosing) return;
    this.isClosing = true;
    const fallbackClosed = this.fallback.close(graceMs);
    this.socketPool.closeAll();
    const isDone = (): boolean => this.openConnections.size === 0 && this.socketPool.size === 0;
    await waitUntilDone(this.options.clock, graceMs, isDone);
    this.bodyDeadlines.stop();
    this.socketPool.dropAll();
    this.listener.close();
    for (const one of [...this.openConnections]) one.destroy();
    await fallbackClosed;
  }

  private handleRequest(response: HttpResponse, head: UwsRequest): void {
    const request = this.readHead(response, head);
    const exchange = new UwsExchange(this, response, request);
    if (this.isClosing) {
      exchange.replyAfterParsing(CLOSING_REPLY);
      return;
    }
    const admission = this.admitter.admit(request);
    if (admission.kind === 'route') exchange.readBody(admission.route);
    else if (admission.reply.isLast === true) exchange.replyAfterParsing(admission.reply);
    else exchange.reply(admission.reply);
  }

  private handleUpgrade(response: HttpResponse, { head, context, route }: UwsUpgrade): void {
    const request = this.readHead(response, head);
    const answer = this.isClosing ? CLOSING_ANSWER : this.socketPool.admit(route, request);
    if (answer.kind === 'open') this.sockets.upgrade(response, request, { route, context, answer });
    else new UwsExchange(this, response, request).replyAfterParsing(answer.reply);
  }

  // The head lives on the caller's stack, so everything is copied before this returns.
  private readHead(response: HttpResponse, head: UwsRequest): HttpRequest {
    const headers: string[] = [];
    head.forEach((name, value) => {
      headers.push(name, value);
    });
    const peerAddress = this.peerAddress ?? readPeerAddress(response);
    return {
      method: head.getCaseSensitiveMethod(),
      path: head.getUrl(),
      // Despite its type, this returns `undefined` for a URL without a question mark.
      query: head.getQuery() ?? '',
      peerAddress,
      remoteAddress: this.options.addressOf?.(peerAddress, headers) ?? peerAddress,
      headers,
    };
  }
}

class UwsExchange implements HttpExchange, Destroyable {
  readonly request: HttpRequest;
  body: Buffer = EMPTY;
  isOpen = true;
  private readonly host: UwsHost;
  private readonly response: HttpResponse;
  private isGone = false;
  private isChunked = false;
  private listener: CloseListener | undefined;
  private streaming: UwsStream | undefined;

  constructor(host: UwsHost, response: HttpResponse, request: HttpRequest) {
    this.host = host;
    this.response = response;
    this.request = request;
    host.openConnections.add(this);
    // Only the last handler counts: a stream replaces this one with its own.
    response.onAborted(() => this.handleAbort());
  }

  readBody(route: HttpRoute): void {
    const { method } = this.request;
    if (method === 'GET' || method === 'HEAD') {
      this.runHandler(route);
      return;
    }
    const bytesMax = route.bodyBytesMax ?? 0;
    // The parser is lax about chunk endings. As after a rejection, later bytes are not served.
    this.isChunked = headerOf(this.request, 'transfer-encoding') !== undefined;
    let parts: Buffer[] | undefined;
    let size = 0;
    this.response.onData((chunk, isLast) => {
      if (!this.isOpen) return;
      size += chunk.byteLength;
      if (size > bytesMax) {
        this.reply(bodyTooLargeReply(route));
        return;
      }
      // The engine detaches the chunk when this callback returns.
      const copy = Buffer.from(new Uint8Array(chunk));
      if (!isLast) {
        this.host.bodyDeadlines.watch(this);
        parts ??= [];
        parts.push(copy);
        return;
      }
      this.host.bodyDeadlines.unwatch(this);
      this.body = parts === undefined ? copy : Buffer.concat([...parts, copy]);
      if (this.isChunked) setImmediate(() => this.runHandler(route));
      else this.runHandler(route);
    });
  }

  /**
   * Sends the last reply of a connection once the parser is done. The parser already holds the
   * bytes after this head. If they form a request while this one is open, it closes the connection.
   */
  replyAfterParsing(reply: HttpReply): void {
    setImmediate(() => this.reply(reply));
  }

  reply(reply: HttpReply): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    let isSent = true;
    this.response.cork(() => {
      const isLast = reply.isLast === true || this.isChunked || this.host.isClosing;
      this.writeHead(reply, isLast);
      const { body } = reply;
      if (this.request.method === 'HEAD') {
        this.response.endWithoutBody(body === undefined ? 0 : Buffer.byteLength(body), isLast);
      } else if (body === undefined) this.response.endWithoutBody(0, isLast);
      else if (isLast) this.response.end(body, true);
      else isSent = this.endBody(body);
    });
    if (isSent) this.markFinished();
  }

  /**
   * Ends the reply, and waits until the socket has accepted all of it. An unfinished reply blocks
   * the parser, so a client that does not read cannot pile up replies.
   */
  private endBody(body: string | Uint8Array): boolean {
    const size = Buffer.byteLength(body);
    const [, isSent] = this.response.tryEnd(body, size);
    if (isSent) return true;
    this.listener = undefined;
    const rest = Buffer.from(body);
    this.response.onWritable((offset) => {
      const [isFlowing, isWhole] = this.response.tryEnd(rest.subarray(offset), size);
      if (isWhole) this.markFinished();
      return isFlowing;
    });
    return false;
  }

  stream(opening: HttpReply): HttpStream | undefined {
    if (!this.isOpen) return undefined;
    this.isOpen = false;
    const { host, response } = this;
    const { streamWaitingBytesMax: waitingBytesMax, load } = host.options;
    const writeHead = () => this.writeHead(opening, false);
    const open = host.openConnections;
    const streaming = new UwsStream(response, { open, waitingBytesMax, load, writeHead });
    streaming.listener = this.listener;
    this.streaming = streaming;
    this.body = EMPTY;
    this.markFinished();
    // The engine sends the head with the first body byte, so a comment line sends it.
    streaming.bounded.write(':\n\n');
    return streaming.bounded;
  }

  listenClose(listener: CloseListener): void {
    if (this.streaming === undefined) this.listener = listener;
    else this.streaming.listener = listener;
  }

  destroy(): void {
    if (!this.isGone) this.response.close();
  }

  private runHandler(route: HttpRoute): void {
    if (!this.isOpen) return;
    try {
      const running = route.handle(this);
      if (running !== undefined) running.catch(() => this.reply(plainReply(500, 'internal error')));
    } catch {
      this.reply(plainReply(500, 'internal error'));
    }
  }

  private writeHead(reply: HttpReply, isLast: boolean): void {
    // The engine writes status 200 by itself.
    if (reply.status !== 200) {
      this.response.writeStatus(`${reply.status} ${STATUS_CODES[reply.status] ?? ''}`);
    }
    this.writeHeaders(reply.headers);
    this.writeHeaders(this.host.options.replyHeaders?.(this.request));
    // The engine announces only its own closing, not one that the client asked for.
    if (requestsClose(this.request)) this.response.writeHeader('connection', 'close');
    else if (!isLast) this.response.writeHeader('keep-alive', `timeout=${ANNOUNCED_IDLE_S}`);
  }

  private writeHeaders(headers: readonly string[] = []): void {
    for (let at = 0; at < headers.length; at += 2) {
      this.response.writeHeader(headers[at] ?? '', headers[at + 1] ?? '');
    }
  }

  /** Replies 408: the body did not arrive in time. */
  tooLate(): void {
    this.reply({ ...plainReply(408, 'request timeout'), isLast: true });
  }

  private markFinished(): void {
    this.isGone = true;
    this.host.openConnections.delete(this);
    this.host.bodyDeadlines.unwatch(this);
    this.listener = undefined;
  }

  private handleAbort(): void {
    if (this.isGone) return;
    const { listener } = this;
    this.isOpen = false;
    this.markFinished();
    listener?.connectionClosed();
  }
}

function requestsClose(request: HttpRequest): boolean {
  return headerOf(request, 'connection')?.toLowerCase() === 'close';
}

function readPeerAddress(response: HttpResponse): string {
  return Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
}
