import { Admitter, bodyTooLargeReply, plainReply } from './admit.ts';
import { BoundedStream, type RawSink } from './bounded-stream.ts';
import type {
  CloseListener,
  HttpExchange,
  HttpReply,
  HttpRequest,
  HttpRoute,
  HttpStream,
} from './host.ts';
import type { HostOptions } from './host-options.ts';

/** A request that needs no connection. */
export interface InjectedRequest {
  /** Default: `GET`. */
  readonly method?: string;
  /** The path with its query. */
  readonly url: string;
  /** Default of `host`: `127.0.0.1`. The length of the body is added. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The peer. Default: `127.0.0.1`. */
  readonly peerAddress?: string;
  /** Leaves, as a client does that closes its connection. A stream ends with what it has sent. */
  readonly signal?: AbortSignal;
}

/** The reply to an injected request. Of a stream: everything it sent until it ended. */
export interface InjectedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/**
 * Answers a request as an engine with these options would: the same checks, routes and limits,
 * without a socket.
 */
export function injectRequest(
  options: HostOptions,
  injected: InjectedRequest,
): Promise<InjectedReply> {
  const body = Buffer.from(injected.body ?? '');
  const request = toRequest(options, injected, body);
  return new Promise((resolve) => {
    const exchange = new InjectedExchange(options, request, body, resolve);
    injected.signal?.addEventListener('abort', () => exchange.leave(), { once: true });
    const admission = new Admitter(options).admit(request);
    if (admission.kind === 'reply') exchange.reply(admission.reply);
    else exchange.run(admission.route);
  });
}

function toRequest(
  { addressOf }: HostOptions,
  { method = 'GET', url, headers = {}, peerAddress = '127.0.0.1' }: InjectedRequest,
  body: Buffer,
): HttpRequest {
  const mark = url.indexOf('?');
  const length = body.byteLength === 0 ? {} : { 'content-length': String(body.byteLength) };
  const lines = Object.entries({ host: '127.0.0.1', ...length, ...headers }).flatMap(
    ([name, value]) => [name.toLowerCase(), value],
  );
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    peerAddress,
    remoteAddress: addressOf?.(peerAddress, lines) ?? peerAddress,
    headers: lines,
  };
}

class InjectedExchange implements HttpExchange, RawSink {
  isOpen = true;
  readonly request: HttpRequest;
  readonly body: Buffer;
  private readonly options: HostOptions;
  private readonly resolve: (reply: InjectedReply) => void;
  private readonly sent: Uint8Array[] = [];
  private head: HttpReply = { status: 0 };
  private streaming: BoundedStream | undefined;
  private listener: CloseListener | undefined;
  private isFinished = false;

  constructor(
    options: HostOptions,
    request: HttpRequest,
    body: Buffer,
    resolve: (reply: InjectedReply) => void,
  ) {
    this.options = options;
    this.request = request;
    this.body = body;
    this.resolve = resolve;
  }

  run(route: HttpRoute): void {
    if (this.body.byteLength > (route.bodyBytesMax ?? 0)) this.reply(bodyTooLargeReply(route));
    const failed = (): void => this.reply(plainReply(500, 'internal error'));
    try {
      route.handle(this)?.catch(failed);
    } catch {
      failed();
    }
  }

  reply(reply: HttpReply): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.head = reply;
    // The caller may reuse its bytes.
    this.sent.push(Buffer.from(reply.body ?? ''));
    this.finish();
  }

  stream(head: HttpReply): HttpStream | undefined {
    if (!this.isOpen) return undefined;
    this.isOpen = false;
    this.head = head;
    const { streamWaitingBytesMax, load } = this.options;
    this.streaming = new BoundedStream(this, streamWaitingBytesMax, load);
    this.streaming.write(':\n\n');
    return this.streaming;
  }

  listenClose(listener: CloseListener): void {
    this.listener = listener;
  }

  write(text: string): boolean {
    this.sent.push(Buffer.from(text));
    return true;
  }

  finish(text = ''): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.sent.push(Buffer.from(text));
    const headers = new Headers();
    const lines = [
      ...(this.head.headers ?? []),
      ...(this.options.replyHeaders?.(this.request) ?? []),
    ];
    for (let at = 0; at < lines.length; at += 2) {
      headers.append(lines[at] ?? '', lines[at + 1] ?? '');
    }
    const body = this.request.method === 'HEAD' ? Buffer.alloc(0) : Buffer.concat(this.sent);
    this.resolve({ status: this.head.status, headers, body });
  }

  destroy(): void {
    this.finish();
  }

  leave(): void {
    if (this.isFinished) return;
    this.isOpen = false;
    this.streaming?.handleClose();
    this.finish();
    this.listener?.connectionClosed();
  }
}
