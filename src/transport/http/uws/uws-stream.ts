import type { HttpResponse } from 'uWebSockets.js';
import { BoundedStream, type RawSink, type StreamLoad } from '../bounded-stream.ts';
import type { CloseListener } from '../host.ts';

/** A connection that a host destroys when it closes. */
export interface Destroyable {
  destroy(): void;
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
  private isGone = false;

  /** @param open - The open connections. This stream is a member until it ends. */
  constructor(
    response: HttpResponse,
    open: Set<Destroyable>,
    waitingBytesMax: number,
    load?: StreamLoad,
  ) {
    this.response = response;
    this.openConnections = open;
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
      isFlowing = this.response.write(text);
    });
    return isFlowing;
  }

  finish(): void {
    if (this.isGone) return;
    this.response.cork(() => {
      this.response.end();
    });
    this.markClosed();
  }

  destroy(): void {
    if (!this.isGone) this.response.close();
  }

  private markClosed(): void {
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
