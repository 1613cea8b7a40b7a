import type { HttpResponse } from 'uWebSockets.js';
import { BoundedStream, type RawSink, type StreamLoad } from '../bounded-stream.ts';
import type { CloseListener } from '../host.ts';

/** A connection that a host destroys when it closes. */
export interface Endable {
  destroy(): void;
}

/**
 * A stream on uWebSockets.js. It references the response alone: many streams stay open for hours,
 * and none may keep the head and body of its request in memory.
 */
export class UwsStream implements RawSink, Endable {
  readonly bounded: BoundedStream;
  listener: CloseListener | undefined;
  private readonly response: HttpResponse;
  private readonly open: Set<Endable>;
  private isGone = false;

  /** @param open - The open connections. This stream is a member until it ends. */
  constructor(
    response: HttpResponse,
    open: Set<Endable>,
    waitingBytesMax: number,
    load?: StreamLoad,
  ) {
    this.response = response;
    this.open = open;
    this.bounded = new BoundedStream(this, waitingBytesMax, load);
    open.add(this);
    // Replaces the handler of the exchange, which releases the exchange.
    response.onAborted(() => this.aborted());
    response.onWritable(() => {
      this.bounded.drained();
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
    this.gone();
  }

  destroy(): void {
    if (!this.isGone) this.response.close();
  }

  private gone(): void {
    this.isGone = true;
    this.open.delete(this);
    this.listener = undefined;
  }

  private aborted(): void {
    if (this.isGone) return;
    const { listener } = this;
    this.bounded.closed();
    this.gone();
    listener?.connectionClosed();
  }
}
