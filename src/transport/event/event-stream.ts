import { SECOND_MS } from '../../domain/common/time.ts';
import type { EventLog, PublicEvent } from '../../domain/event/event-log.ts';
import type { CloseListener, HttpExchange, HttpStream } from '../http/host.ts';
import type { Beating, Pulse } from '../mcp/call/pulse.ts';
import { SSE_HEADERS } from '../mcp/sse-channel.ts';

/** Events that are read in one go. */
const BATCH = 100;
/** Characters that are written in one go, and the event that exceeds them. */
const WRITTEN_CHARS = 65_536;
/** Bytes that may wait for a slow reader before it gets no more for now. */
const WAITING_BYTES_MAX = 65_536;
/** A quiet stream says something so often, in milliseconds, that nobody on the way ends it. */
const KEEP_ALIVE_MS = 15 * SECOND_MS;
/** When a client is asked to come back that was cut off, in milliseconds. */
const RETRY_MS = 2 * SECOND_MS;

/** What a stream shows. */
export interface StreamOrder {
  /** The first event that may be shown. */
  readonly from: number;
  readonly subject?: string;
}

/** What all streams stand on. */
export interface StreamCore {
  readonly events: EventLog;
  readonly pulse: Pulse;
}

/**
 * One reader of the feed as server-sent events. A reader that is too slow is not dropped: it is
 * given more once it has taken what it was given.
 */
export class EventStream implements Beating, CloseListener {
  readonly #core: StreamCore;
  readonly #subject: string | undefined;
  readonly #stream: HttpStream;
  readonly #onEnd: (stream: EventStream) => void;
  readonly #unwatch: () => void;
  #next: number;
  #wroteAt: number;
  #isEnded = false;

  private constructor(
    core: StreamCore,
    order: StreamOrder,
    stream: HttpStream,
    onEnd: (stream: EventStream) => void,
  ) {
    this.#core = core;
    this.#subject = order.subject;
    this.#stream = stream;
    this.#onEnd = onEnd;
    this.#next = order.from;
    this.#wroteAt = core.pulse.now();
    this.#unwatch = core.events.watch(() => this.#pump());
    core.pulse.add(this);
    stream.listenDrain?.(() => this.#pump());
    stream.write(`retry: ${RETRY_MS}\n\n`);
    this.#pump();
  }

  /**
   * Opens a stream on an exchange.
   *
   * @returns `undefined` when nobody listens any more.
   */
  static open(
    core: StreamCore,
    order: StreamOrder,
    exchange: HttpExchange,
    onEnd: (stream: EventStream) => void,
  ): EventStream | undefined {
    const stream = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (stream === undefined) return undefined;
    const opened = new EventStream(core, order, stream, onEnd);
    exchange.listenClose(opened);
    return opened;
  }

  get isOpen(): boolean {
    return !this.#isEnded;
  }

  beat(now: number): void {
    this.#pump();
    if (now - this.#wroteAt < KEEP_ALIVE_MS || this.#isEnded) return;
    this.#wroteAt = now;
    if (!this.#stream.write(': quiet\n\n')) this.end();
  }

  connectionClosed(): void {
    this.end();
  }

  /** Ends the answer; a client comes back with the id of the last event that it has. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#unwatch();
    this.#core.pulse.remove(this);
    this.#stream.end();
    this.#onEnd(this);
  }

  #pump(): void {
    while (!this.#isEnded && this.#stream.waitingBytes < WAITING_BYTES_MAX) {
      const text = this.#nextText();
      if (text === '') return;
      this.#wroteAt = this.#core.pulse.now();
      if (!this.#stream.write(text)) this.end();
    }
  }

  /** What comes next, as much as is written in one go. */
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
