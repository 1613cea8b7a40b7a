import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Admitter, bodyTooLargeReply, CLOSING_REPLY, plainReply } from '../admit.ts';
import { BoundedStream, type RawSink } from '../bounded-stream.ts';
import type {
  CloseListener,
  HttpExchange,
  HttpHost,
  HttpReply,
  HttpRequest,
  HttpRoute,
  HttpStream,
} from '../host.ts';
import { HEADER_BYTES_MAX, PIPELINED_MAX } from '../host.ts';
import type { HostOptions } from '../host-options.ts';
import { CONNECTION_BOUNDS } from '../host-options.ts';
import { listenError } from '../listen-error.ts';
import { SocketPool } from '../socket-pool.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { NodeConnections } from './node-connections.ts';
import type { NodeSockets, NodeUpgrade } from './node-sockets.ts';
import { upgradableMessage } from './upgradable-message.ts';

const EMPTY = Buffer.alloc(0);
/** The replies to errors of Node's parser, by code. */
const PARSER_ERRORS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, `the head is larger than ${HEADER_BYTES_MAX} bytes`],
};
const BAD_HEAD = [400, 'this is not an HTTP/1.1 request'] as const;
/** How long a final reply may take to reach the client, in milliseconds. */
const LINGER_MS = 1_000;

/** Serves HTTP through node:http. */
export class NodeHost implements HttpHost {
  readonly engine = 'node';
  readonly openExchanges = new Set<NodeExchange>();
  readonly options: HostOptions;
  /** Sockets that have received their last reply. */
  readonly endedSockets = new WeakSet<object>();
  /** Sockets with a reply whose head is sent and whose body is not. */
  readonly openReplies = new WeakSet<object>();
  isClosing = false;
  /** Number of unsent replies per socket. */
  private readonly unsentReplies = new WeakMap<object, number>();
  private readonly server: Server;
  private readonly connections: NodeConnections;
  private readonly admitter: Admitter;
  private readonly socketPool: SocketPool;
  private sockets: Promise<NodeSockets> | undefined;

  constructor(options: HostOptions) {
    this.options = options;
    this.admitter = new Admitter(options);
    this.socketPool = new SocketPool(options);
    const bounds = { ...CONNECTION_BOUNDS, ...options.bounds };
    this.server = createServer(
      {
        keepAlive: true,
        // Node announces this time in `Keep-Alive` and closes a little later.
        keepAliveTimeout: bounds.idleMs,
        headersTimeout: bounds.headMs,
        requestTimeout: bounds.requestMs,
        connectionsCheckingInterval: bounds.lookMs,
        maxHeaderSize: HEADER_BYTES_MAX,
        insecureHTTPParser: false,
        // The head check refuses it, in the same words on both engines.
        requireHostHeader: false,
        noDelay: true,
        IncomingMessage: upgradableMessage(this.socketPool.routes),
      },
      (incoming, outgoing) => this.handleRequest(incoming, outgoing),
    );
    // Node must not drop headers silently: the head check counts them.
    this.server.maxHeadersCount = 0;
    this.connections = new NodeConnections(bounds.connectionsMax, () =>
      options.descriptors?.onRejected(),
    );
    this.server.on('connection', (socket) => this.connections.add(socket));
    this.server.on('clientError', (error, socket) => this.handleClientError(error, socket));
    this.server.on('upgrade', (incoming: IncomingMessage, connection: Duplex, first: Buffer) => {
      this.handleUpgrade({ incoming, connection, head: first });
    });
    // Node ignores other upgrades, as HTTP allows. Tunnels are not supported.
    this.server.on('connect', (incoming: IncomingMessage, connection: Duplex, head: Buffer) => {
      connection.on('error', () => connection.destroy());
      this.rejectUpgrade({ incoming, connection, head }, plainReply(400, 'unknown method'));
    });
  }

  listen(host: string, port: number): Promise<number> {
    const { server } = this;
    return new Promise((resolve, reject) => {
      const failed = (cause: unknown): void => reject(listenError(cause, host, port));
      server.once('error', failed);
      server.listen({ port, host, exclusive: true }, () => {
        server.off('error', failed);
        const capacity = this.options.descriptors?.connectionCapacity() ?? Number.POSITIVE_INFINITY;
        const { connections } = this;
        connections.connectionsMax = Math.min(connections.connectionsMax, capacity);
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Stops accepting connections. Open ones continue. */
  stopListening(): void {
    this.server.close();
  }

  async close(graceMs: number): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    this.socketPool.closeAll();
    const isDone = (): boolean => this.openExchanges.size === 0 && this.socketPool.size === 0;
    await waitUntilDone(this.options.clock, graceMs, isDone);
    this.server.close();
    this.socketPool.dropAll();
    for (const exchange of [...this.openExchanges]) exchange.abort();
    this.server.closeAllConnections();
  }

  private handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.connections.markBusy(incoming.socket);
    if (this.exceedsPipeline(incoming, outgoing)) {
      incoming.socket.destroy();
      return;
    }
    const request = readHead(incoming, this.options);
    const exchange = new NodeExchange(this, incoming, outgoing, request);
    if (this.isClosing) {
      exchange.reply(CLOSING_REPLY);
      return;
    }
    const badVersion = checkVersion(incoming);
    if (badVersion !== undefined) {
      exchange.reply(badVersion);
      return;
    }
    const admission = this.admitter.admit(request);
    if (admission.kind === 'reply') exchange.reply(admission.reply);
    else exchange.readBody(admission.route);
  }

  private handleUpgrade(upgrade: NodeUpgrade): void {
    const { connection, incoming } = upgrade;
    this.connections.markBusy(incoming.socket);
    connection.on('error', () => connection.destroy());
    this.sockets ??= this.loadSockets();
    this.sockets
      .then((sockets) => this.completeUpgrade(upgrade, sockets))
      .catch(() => connection.destroy());
  }

  // Loaded for the first console only: `ws` pulls in TLS, a large part of the startup time.
  private async loadSockets(): Promise<NodeSockets> {
    const { NodeSockets } = await import('./node-sockets.ts');
    return new NodeSockets(this.socketPool, this.options.clock);
  }

  private completeUpgrade(upgrade: NodeUpgrade, sockets: NodeSockets): void {
    const { incoming } = upgrade;
    const request = readHead(incoming, this.options);
    const route = this.socketPool.routes.get(request.path);
    if (route === undefined || incoming.httpVersion !== '1.1') {
      this.rejectUpgrade(upgrade, plainReply(505, 'HTTP/1.1 required'));
      return;
    }
    if (this.isClosing) {
      this.rejectUpgrade(upgrade, CLOSING_REPLY);
      return;
    }
    const answer = this.socketPool.admit(route, request);
    if (answer.kind === 'reply') this.rejectUpgrade(upgrade, answer.reply);
    else sockets.upgrade(upgrade, { route, request, answer });
  }

  // The parser has released the connection, so the reply is written by hand and is the last one.
  private rejectUpgrade({ incoming, connection }: NodeUpgrade, reply: HttpReply): void {
    const more = this.options.replyHeaders?.(readHead(incoming, this.options)) ?? [];
    const headers = [...(reply.headers ?? []), ...more];
    const lines = [`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    const body = Buffer.from(reply.body ?? '');
    lines.push(`content-length: ${body.byteLength}`, 'connection: close', '', '');
    connection.end(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]));
    this.destroyLater(connection);
  }

  // Replies to what the parser refuses, unless that would end up inside an earlier reply.
  private handleClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable || this.endedSockets.has(socket) || this.openReplies.has(socket)) {
      socket.destroy();
      return;
    }
    const [status, reason] = PARSER_ERRORS[code] ?? BAD_HEAD;
    const body = `${reason}\n`;
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: text/plain; charset=utf-8',
      `content-length: ${body.length}`,
      'connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    this.destroyLater(socket);
  }

  // Closes soon after the final reply, even if the client keeps its side open.
  private destroyLater(socket: Duplex): void {
    const { clock } = this.options;
    clock.at(clock.now() + LINGER_MS, () => socket.destroy());
  }

  // Node pauses reading late: one read may hold hundreds of requests, each with a large reply.
  private exceedsPipeline({ socket }: IncomingMessage, outgoing: ServerResponse): boolean {
    const waiting = (this.unsentReplies.get(socket) ?? 0) + 1;
    this.unsentReplies.set(socket, waiting);
    outgoing.once('finish', () => {
      const rest = (this.unsentReplies.get(socket) ?? 1) - 1;
      this.unsentReplies.set(socket, rest);
      this.openReplies.delete(socket);
      if (rest === 0) this.connections.markWaiting(socket);
    });
    return waiting > PIPELINED_MAX;
  }
}

class NodeExchange implements HttpExchange, RawSink {
  readonly request: HttpRequest;
  body: Buffer = EMPTY;
  isOpen = true;
  private readonly host: NodeHost;
  private readonly incoming: IncomingMessage;
  private readonly outgoing: ServerResponse;
  private listener: CloseListener | undefined;
  private streaming: BoundedStream | undefined;
  private isFinished = false;

  constructor(
    host: NodeHost,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: HttpRequest,
  ) {
    this.host = host;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.request = request;
    host.openExchanges.add(this);
    incoming.on('error', () => this.handleClose());
    outgoing.on('error', () => undefined);
    outgoing.on('close', () => this.handleClose());
  }

  readBody(route: HttpRoute): void {
    const { method } = this.request;
    if (method === 'GET' || method === 'HEAD') {
      this.incoming.resume();
      this.runHandler(route);
      return;
    }
    const bytesMax = route.bodyBytesMax ?? 0;
    const parts: Buffer[] = [];
    let size = 0;
    this.incoming.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= bytesMax) parts.push(chunk);
      else if (this.isOpen) this.reply(bodyTooLargeReply(route));
    });
    this.incoming.on('end', () => {
      if (!this.isOpen) return;
      this.body = parts.length === 1 ? (parts[0] ?? EMPTY) : Buffer.concat(parts);
      this.runHandler(route);
    });
  }

  reply(reply: HttpReply): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { body } = reply;
    this.writeHead(reply, body === undefined ? 0 : Buffer.byteLength(body));
    // Node holds the bytes until the socket accepts them, and the caller may reuse its buffer.
    this.outgoing.end(typeof body === 'string' || body === undefined ? body : Buffer.from(body));
    this.markFinished();
  }

  stream(head: HttpReply): HttpStream | undefined {
    if (!this.isOpen) return undefined;
    this.isOpen = false;
    const streaming = new BoundedStream(
      this,
      this.host.options.streamWaitingBytesMax,
      this.host.options.load,
    );
    this.streaming = streaming;
    this.outgoing.on('drain', () => streaming.handleDrain());
    this.writeHead(head);
    streaming.write(':\n\n');
    return streaming;
  }

  listenClose(listener: CloseListener): void {
    this.listener = listener;
  }

  write(text: string): boolean {
    return this.outgoing.write(text);
  }

  finish(text: string): void {
    if (this.isFinished) return;
    this.outgoing.end(text);
    this.markFinished();
  }

  destroy(): void {
    this.outgoing.destroy();
  }

  /** Closes the exchange from this side and notifies the listener at once. */
  abort(): void {
    this.handleClose();
    this.destroy();
  }

  private runHandler(route: HttpRoute): void {
    try {
      const running = route.handle(this);
      if (running !== undefined) running.catch(() => this.reply(plainReply(500, 'internal error')));
    } catch {
      this.reply(plainReply(500, 'internal error'));
    }
  }

  private writeHead(reply: HttpReply, bytes?: number): void {
    const more = this.host.options.replyHeaders?.(this.request) ?? [];
    const headers = [...(reply.headers ?? []), ...more];
    if (bytes !== undefined && reply.status !== 204) headers.push('content-length', String(bytes));
    if (reply.isLast === true || this.host.isClosing) {
      headers.push('connection', 'close');
      this.host.endedSockets.add(this.incoming.socket);
    }
    this.outgoing.writeHead(reply.status, headers);
    this.host.openReplies.add(this.incoming.socket);
  }

  private markFinished(): void {
    this.isFinished = true;
    this.host.openExchanges.delete(this);
    this.listener = undefined;
  }

  private handleClose(): void {
    if (this.isFinished) return;
    const { listener } = this;
    this.isOpen = false;
    this.streaming?.handleClose();
    this.markFinished();
    listener?.connectionClosed();
  }
}

function checkVersion({ httpVersion }: IncomingMessage): HttpReply | undefined {
  if (httpVersion === '1.1' || httpVersion === '1.0') return undefined;
  // Node reads a request line without a version as 0.9.
  const status = httpVersion === '0.9' ? 400 : 505;
  return { ...plainReply(status, 'HTTP/1.1 required'), isLast: true };
}

function readHead(incoming: IncomingMessage, { addressOf }: HostOptions): HttpRequest {
  const headers = [...incoming.rawHeaders];
  for (let at = 0; at < headers.length; at += 2) headers[at] = (headers[at] ?? '').toLowerCase();
  const target = incoming.url ?? '';
  const peerAddress = incoming.socket.remoteAddress ?? '';
  const mark = target.indexOf('?');
  return {
    method: incoming.method ?? '',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    peerAddress,
    remoteAddress: addressOf?.(peerAddress, headers) ?? peerAddress,
    headers,
  };
}
