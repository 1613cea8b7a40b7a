import type { HttpResponse } from 'uWebSockets.js';
import { BoundedStream, type RawSink, type StreamLoad } from '../bounded-stream.ts';
import type { CloseListener } from '../host.ts';

/** What a host ends when it is closed. */
export interface Endable {
  destroy(): void;
}

/**
 * An open answer on uWebSockets.js. It stands on the response alone: many streams stay open for
 * hours, and none may keep the head and the body of its request in memory.
 */
export class UwsStream implements RawSink, Endable {
  readonly bounded: BoundedStream;
  listener: CloseListener | undefined;
  private readonly response: HttpResponse;
  private readonly open: Set<Endable>;
  private isGone = false;

  /** @param open - Holds what is open; this stream is in it until it ends. */
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
    // Takes the place of the exchange's own, which lets go of the exchange.
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
