import type { HttpResponse } from 'uWebSockets.js';
import { BoundedStream, type RawSink, type StreamLoad } from '../bounded-stream.ts';
import type { CloseListener } from '../host.ts';

/** A connection that a host destroys when it closes. */
export interface Destroyable {
  destroy(): void;
}

/** What a stream is made of. */
export interface UwsStreamParts {
  /** The open connections. The stream is a member until it ends. */
  readonly open: Set<Destroyable>;
  readonly waitingBytesMax: number;
  readonly load?: StreamLoad | undefined;
  readonly writeHead: () => void;
}

/**
 * A stream on uWebSockets.js. It references the response alone: many streams stay open for hours,
 * and none may keep the head and body of its request in memory.
 */
export class UwsStream implements RawSink, Destroyable {
  readonly bounded: BoundedStream;
  listener: CloseListener | undefined;
  private readonly response: HttpResponse;
  private readonly openConnections: Set<Destroyable>;
  /** Writes the head with the first text. */
  private writeHead: (() => void) | undefined;
  private isGone = false;

  constructor(response: HttpResponse, { open, waitingBytesMax, load, writeHead }: UwsStreamParts) {
    this.response = response;
    this.openConnections = open;
    this.writeHead = writeHead;
    this.bounded = new BoundedStream(this, waitingBytesMax, load);
    open.add(this);
    // Replaces the handler of the exchange, which releases the exchange.
    response.onAborted(() => this.handleAbort());
    response.onWritable(() => {
      this.bounded.handleDrain();
      return true;
    });
  }

  write(text: string): boolean {
    let isFlowing = true;
    this.response.cork(() => {
      this.startBody();
      isFlowing = this.response.write(text);
    });
    return isFlowing;
  }

  finish(text: string): void {
    if (this.isGone) return;
    this.response.cork(() => {
      this.startBody();
      if (text === '') this.response.end();
      else this.response.end(text);
    });
    this.markClosed();
  }

  destroy(): void {
    if (!this.isGone) this.response.close();
  }

  private startBody(): void {
    this.writeHead?.();
    this.writeHead = undefined;
  }

  private markClosed(): void {
    this.writeHead = undefined;
    this.isGone = true;
    this.openConnections.delete(this);
    this.listener = undefined;
  }

  private handleAbort(): void {
    if (this.isGone) return;
    const { listener } = this;
    this.bounded.handleClose();
    this.markClosed();
    listener?.connectionClosed();
  }
}
