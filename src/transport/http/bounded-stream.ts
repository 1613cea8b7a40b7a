import type { HttpStream } from './host.ts';

/** The sink that an engine provides. */
export interface RawSink {
  /** @returns `false` when the text was accepted but the socket is now blocked. */
  write(text: string): boolean;
  /** @param text - The last text, or nothing. */
  finish(text: string): void;
  destroy(): void;
}

/** Size at which gathered texts are written at once, in characters. */
const GATHERED_CHARS_MAX = 16_384;

/** A counter of open streams. */
export interface StreamLoad {
  streams: number;
}

/**
 * A stream over a socket that may block. Texts that follow each other without a pause are one
 * write. Only bytes queued behind a blocked socket count towards the bound, so one large message to
 * a healthy reader does not drop it.
 */
export class BoundedStream implements HttpStream {
  isOpen = true;
  waitingBytes = 0;
  private readonly sink: RawSink;
  private readonly waitingBytesMax: number;
  private readonly load: StreamLoad | undefined;
  private waiting: string[] | undefined;
  /** Texts that the sink has not got yet, or nothing. */
  private gathered = '';
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
      if (this.gathered === '') process.nextTick(writeGathered, this);
      this.gathered += text;
      if (this.gathered.length >= GATHERED_CHARS_MAX) this.writeGathered();
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

  /** Hands the gathered texts to the sink. */
  writeGathered(): void {
    const text = this.gathered;
    if (text === '' || !this.isOpen) return;
    this.gathered = '';
    this.isBlocked = !this.sink.write(text);
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
    this.gathered = '';
    this.waiting = undefined;
    this.waitingBytes = 0;
  }

  private finish(): void {
    const text = this.gathered;
    this.gathered = '';
    this.markClosed();
    this.sink.finish(text);
  }

  private markClosed(): void {
    this.onDrain = undefined;
    if (this.isOpen && this.load !== undefined) this.load.streams -= 1;
    this.isOpen = false;
  }
}

function writeGathered(stream: BoundedStream): void {
  stream.writeGathered();
}
