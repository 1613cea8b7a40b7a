import { SECOND_MS } from '../../domain/common/time.ts';
import type { CloseListener, HttpExchange, HttpStream } from '../http/host.ts';
import type { Tickable, Ticker } from '../mcp/call/ticker.ts';

/**
 * Interval of keep-alive comments on an idle stream, in milliseconds. They stop proxies from
 * closing it.
 */
const KEEP_ALIVE_MS = 15 * SECOND_MS;

/** What the owner of a stream does with it. */
export interface StreamOwner {
  /** Called once, when the stream ends or its reader leaves. */
  streamEnded(): void;
  /** Called at each tick of the shared timer. */
  ticked?(): void;
}

/** A stream of server-sent events that is kept alive until its owner or its reader ends it. */
export class KeptStream implements Tickable, CloseListener {
  readonly #stream: HttpStream;
  readonly #ticker: Ticker;
  readonly #owner: StreamOwner;
  #wroteAt: number;
  #isEnded = false;

  constructor(stream: HttpStream, ticker: Ticker, owner: StreamOwner) {
    this.#stream = stream;
    this.#ticker = ticker;
    this.#owner = owner;
    this.#wroteAt = ticker.now();
    ticker.add(this);
  }

  get isOpen(): boolean {
    return !this.#isEnded;
  }

  /** Bytes that the reader has not taken yet. */
  get waitingBytes(): number {
    return this.#stream.waitingBytes;
  }

  /** Ends the stream when the client of the exchange leaves. */
  endWith(exchange: HttpExchange): void {
    exchange.listenClose(this);
  }

  write(text: string): void {
    if (this.#isEnded) return;
    this.#wroteAt = this.#ticker.now();
    if (!this.#stream.write(text)) this.end();
  }

  tick(now: number): void {
    this.#owner.ticked?.();
    if (now - this.#wroteAt >= KEEP_ALIVE_MS) this.write(': quiet\n\n');
  }

  connectionClosed(): void {
    this.end();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#ticker.remove(this);
    this.#stream.end();
    this.#owner.streamEnded();
  }
}
