import type { McpEventLog, McpEventRow } from '../../domain/session/mcp-state.ts';
import type { HttpExchange, HttpStream } from '../http/host.ts';
import type { Tickable, Ticker } from './call/ticker.ts';
import { type FrontLimits, RETRY_MS } from './limits.ts';

/** The id of a session's standalone stream, which answers no particular request. */
export const STANDALONE_STREAM = 'get';
/** Headers of a reply that is an event stream. */
export const SSE_HEADERS = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-store, no-transform',
  'x-accel-buffering',
  'no',
];

/** Dependencies that all channels share. */
export interface ChannelCore {
  readonly events: McpEventLog;
  readonly pulse: Ticker;
  readonly limits: Pick<FrontLimits, 'keepAliveMs' | 'resumeGraceMs'>;
}

/** The identity of a channel. */
export interface ChannelOptions {
  readonly sessionId: string;
  readonly streamId: string;
  /** Called once when the channel has had no reader for `resumeGraceMs`. */
  readonly onAbandoned?: () => void;
}

/**
 * One logical event stream, whose connection may drop and return. The event log keeps messages sent
 * meanwhile and replays them. A connection that looks open may be dead behind a proxy, so the
 * newest connection becomes the reader.
 */
export class SseChannel implements Tickable {
  readonly streamId: string;
  private readonly core: ChannelCore;
  private readonly sessionId: string;
  private readonly onAbandoned: (() => void) | undefined;
  private connection: HttpStream | undefined;
  private wroteAt = 0;
  private droppedAt: number | undefined;
  private isEnded = false;

  constructor(core: ChannelCore, { sessionId, streamId, onAbandoned }: ChannelOptions) {
    this.core = core;
    this.sessionId = sessionId;
    this.streamId = streamId;
    this.onAbandoned = onAbandoned;
  }

  /** Whether a connection is open. Its peer may still be unreachable. */
  get isConnected(): boolean {
    return this.connection?.isOpen === true;
  }

  /**
   * Replaces the connection. Sends the missed events, then new ones. If `isPrimed`, an event
   * without data comes first, so that the client can resume from it.
   *
   * @returns `false` when the client has already left.
   */
  attach(exchange: HttpExchange, missed: readonly McpEventRow[], isPrimed: boolean): boolean {
    const connection = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (connection === undefined) return false;
    exchange.listenClose({ connectionClosed: () => this.connectionClosed(connection) });
    this.connection?.end();
    this.connection = connection;
    this.droppedAt = undefined;
    this.core.pulse.add(this);
    if (isPrimed) {
      const eventId = this.core.events.append(this.sessionId, this.streamId, '');
      this.write(`id: ${eventId}\nretry: ${RETRY_MS}\ndata: \n\n`);
    }
    for (const row of missed) {
      if (row.json !== '') this.write(formatEvent(row.eventId, row.json));
    }
    if (this.isEnded) this.closeConnection();
    return true;
  }

  /** Logs a message, and sends it if a connection is open. */
  send(json: string): void {
    if (this.isEnded) return;
    const eventId = this.core.events.append(this.sessionId, this.streamId, json);
    if (this.isConnected) this.write(formatEvent(eventId, json));
  }

  /** Ends the channel. Sent messages remain readable from the log. */
  end(): void {
    this.isEnded = true;
    this.closeConnection();
  }

  /** Ends the connection but not the channel. The client must reconnect for the rest. */
  release(): void {
    this.connection?.end();
    this.connection = undefined;
    this.droppedAt = this.core.pulse.now();
  }

  tick(now: number): void {
    if (this.isConnected) {
      if (now - this.wroteAt >= this.core.limits.keepAliveMs) this.write(':\n\n');
      return;
    }
    // No close event announces a reader that was dropped at the queue limit.
    this.droppedAt ??= now;
    if (now - this.droppedAt < this.core.limits.resumeGraceMs) return;
    this.core.pulse.remove(this);
    this.onAbandoned?.();
  }

  private connectionClosed(connection: HttpStream): void {
    // The end of a replaced connection does not affect the current reader.
    if (this.connection !== connection) return;
    this.connection = undefined;
    this.droppedAt = this.core.pulse.now();
    // Without an `onAbandoned` listener, there is nothing left to watch.
    if (this.onAbandoned === undefined) this.core.pulse.remove(this);
  }

  private closeConnection(): void {
    this.connection?.end();
    this.connection = undefined;
    this.core.pulse.remove(this);
  }

  private write(text: string): void {
    this.wroteAt = this.core.pulse.now();
    this.connection?.write(text);
  }
}

function formatEvent(eventId: string, json: string): string {
  return `id: ${eventId}\nevent: message\ndata: ${json}\n\n`;
}
