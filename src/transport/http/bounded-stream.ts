import type { HttpStream } from './host.ts';

/** The sink that an engine provides. */
export interface RawSink {
  /** @returns `false` when the text was accepted but the socket is now blocked. */
  write(text: string): boolean;
  finish(): void;
  destroy(): void;
}

/** A counter of open streams. */
export interface StreamLoad {
  streams: number;
}

/**
 * A stream over a socket that may block. Only bytes queued behind a blocked socket count towards
 * the bound, so one large message to a healthy reader does not drop it.
 */
export class BoundedStream implements HttpStream {
  isOpen = true;
  waitingBytes = 0;
  private readonly sink: RawSink;
  private readonly waitingBytesMax: number;
  private readonly load: StreamLoad | undefined;
  private waiting: string[] | undefined;
  private isBlocked = false;
  private isEnding = false;
  private onDrain: (() => void) | undefined;

  /** @param load - Counts this stream while it is open. */
  constructor(sink: RawSink, waitingBytesMax: number, load?: StreamLoad) {
    this.sink = sink;
    this.waitingBytesMax = waitingBytesMax;
    this.load = load;
    if (load !== undefined) load.streams += 1;
  }

  write(text: string): boolean {
    if (!this.isOpen || this.isEnding) return false;
    if (!this.isBlocked) {
      this.isBlocked = !this.sink.write(text);
      return this.isOpen;
    }
    this.waitingBytes += Buffer.byteLength(text);
    if (this.waitingBytes > this.waitingBytesMax) {
      this.sink.destroy();
      this.handleClose();
      return false;
    }
    this.waiting ??= [];
    this.waiting.push(text);
    return true;
  }

  end(): void {
    if (!this.isOpen || this.isEnding) return;
    this.isEnding = true;
    if (!this.isBlocked) this.finish();
  }

  listenDrain(listener: () => void): void {
    this.onDrain = listener;
  }

  /** Resumes writing. The engine calls this when the socket accepts more. */
  handleDrain(): void {
    if (!this.isOpen) return;
    this.isBlocked = false;
    const text = this.waiting?.join('');
    this.waiting = undefined;
    this.waitingBytes = 0;
    if (text !== undefined) this.isBlocked = !this.sink.write(text);
    if (this.isBlocked) return;
    if (this.isEnding) this.finish();
    else this.onDrain?.();
  }

  /** Releases the stream. The engine calls this when the client has left. */
  handleClose(): void {
    this.markClosed();
    this.waiting = undefined;
    this.waitingBytes = 0;
  }

  private finish(): void {
    this.markClosed();
    this.sink.finish();
  }

  private markClosed(): void {
    this.onDrain = undefined;
    if (this.isOpen && this.load !== undefined) this.load.streams -= 1;
    this.isOpen = false;
  }
}
