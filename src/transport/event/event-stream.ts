import { SECOND_MS } from '../../domain/common/time.ts';
import type { EventLog, PublicEvent } from '../../domain/event/event-log.ts';
import type { HttpExchange, HttpStream } from '../http/host.ts';
import type { Ticker } from '../mcp/call/ticker.ts';
import { SSE_HEADERS } from '../mcp/sse-channel.ts';
import { KeptStream, type StreamOwner } from './kept-stream.ts';

/** Events read per batch. */
const BATCH = 100;
/** Target size of one write, in characters. The event that exceeds it is still included. */
const WRITTEN_CHARS = 65_536;
/** Queue size at which a slow reader receives no more for now, in bytes. */
const WAITING_BYTES_MAX = 65_536;
/** Reconnection delay for clients, in milliseconds. */
const RETRY_MS = 2 * SECOND_MS;

/** The selection of events for a stream. */
export interface StreamOptions {
  /** The first event to send. */
  readonly from: number;
  readonly subject?: string;
}

/** Dependencies that all streams share. */
export interface StreamCore {
  readonly events: EventLog;
  readonly pulse: Ticker;
}

/**
 * One reader of the event feed as server-sent events. A slow reader is not dropped: it receives
 * more once it has read what was sent.
 */
export class EventStream implements StreamOwner {
  readonly #core: StreamCore;
  readonly #subject: string | undefined;
  readonly #stream: KeptStream;
  readonly #onEnd: (stream: EventStream) => void;
  readonly #unwatch: () => void;
  #next: number;

  private constructor(
    core: StreamCore,
    order: StreamOptions,
    stream: HttpStream,
    onEnd: (stream: EventStream) => void,
  ) {
    this.#core = core;
    this.#subject = order.subject;
    this.#stream = new KeptStream(stream, core.pulse, this);
    this.#onEnd = onEnd;
    this.#next = order.from;
    this.#unwatch = core.events.watch(() => this.#pump());
    stream.listenDrain?.(() => this.#pump());
    this.#stream.write(`retry: ${RETRY_MS}\n\n`);
    this.#pump();
  }

  /**
   * Opens a stream on an exchange.
   *
   * @returns `undefined` when the client has left.
   */
  static open(
    core: StreamCore,
    order: StreamOptions,
    exchange: HttpExchange,
    onEnd: (stream: EventStream) => void,
  ): EventStream | undefined {
    const stream = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (stream === undefined) return undefined;
    const opened = new EventStream(core, order, stream, onEnd);
    opened.#stream.endWith(exchange);
    return opened;
  }

  get isOpen(): boolean {
    return this.#stream.isOpen;
  }

  ticked(): void {
    this.#pump();
  }

  streamEnded(): void {
    this.#unwatch();
    this.#onEnd(this);
  }

  /** Ends the stream. The client can resume with the id of its last event. */
  end(): void {
    this.#stream.end();
  }

  #pump(): void {
    while (this.isOpen && this.#stream.waitingBytes < WAITING_BYTES_MAX) {
      const text = this.#nextText();
      if (text === '') return;
      this.#stream.write(text);
    }
  }

  /** Returns the next events as text, up to the size of one write. */
  #nextText(): string {
    const { events } = this.#core;
    const end = events.size;
    const found = this.#read();
    let text = '';
    for (const event of found) {
      text += `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
      this.#next = event.seq + 1;
      if (text.length >= WRITTEN_CHARS) return text;
    }
    if (found.length < BATCH) this.#next = Math.max(this.#next, end);
    return text;
  }

  #read(): readonly PublicEvent[] {
    const { events } = this.#core;
    return this.#subject === undefined
      ? events.read(this.#next, BATCH)
      : events.about(this.#subject, this.#next, BATCH);
  }
}
