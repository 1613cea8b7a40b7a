import type { Framing } from './head.ts';

/** Maximum length of a chunk's size line, with its extensions, in characters. */
const CHUNK_LINE_MAX = 256;
/** Maximum bytes of the fields after the last chunk. */
const TRAILER_BYTES_MAX = 8_192;
const CR = 13;
const LF = 10;
const SIZE = /^([0-9a-f]{1,8})(?:[\t ]*;[\t\x20-\x7e]*)?$/i;
const TRAILER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;

/** Part of a stream that belongs to the body. */
export interface ConsumedBytes {
  /** Bytes that belong to the body and its framing. */
  readonly used: number;
  readonly isDone: boolean;
}

/** Tracks a body as its bytes pass, to find its end. Buffers nothing. */
export interface BodyCounter {
  /**
   * Consumes the next bytes.
   *
   * @returns `undefined` if the bytes do not match this framing.
   */
  consume(piece: Buffer): ConsumedBytes | undefined;
}

/** Creates the tracker of a body. A message without a body needs none. */
export function createBodyCounter(framing: Exclude<Framing, { kind: 'none' }>): BodyCounter {
  switch (framing.kind) {
    case 'length':
      return new LengthCounter(framing.bytes);
    case 'chunked':
      return new ChunkCounter();
    case 'close':
      return { consume: (piece) => ({ used: piece.length, isDone: false }) };
  }
}

class LengthCounter implements BodyCounter {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  consume(piece: Buffer): ConsumedBytes {
    const used = Math.min(piece.length, this.#left);
    this.#left -= used;
    return { used, isDone: this.#left === 0 };
  }
}

type ChunkPhase = 'size' | 'data' | 'data_end' | 'trailer' | 'done';

class ChunkCounter implements BodyCounter {
  #phase: ChunkPhase = 'size';
  #left = 0;
  /** The current line so far, without its end. */
  #line = '';
  #trailerBytes = 0;

  consume(piece: Buffer): ConsumedBytes | undefined {
    let at = 0;
    while (at < piece.length && this.#phase !== 'done') {
      if (this.#phase === 'data') {
        const step = Math.min(piece.length - at, this.#left);
        this.#left -= step;
        at += step;
        if (this.#left === 0) this.#phase = 'data_end';
        continue;
      }
      const end = piece.indexOf(LF, at);
      const stop = end === -1 ? piece.length : end + 1;
      if (this.#line.length + stop - at > this.#lineMax) return undefined;
      this.#line += piece.toString('latin1', at, stop);
      at = stop;
      if (end !== -1 && !this.#endLine()) return undefined;
    }
    return { used: at, isDone: this.#phase === 'done' };
  }

  get #lineMax(): number {
    return this.#phase === 'trailer' ? TRAILER_BYTES_MAX : CHUNK_LINE_MAX;
  }

  /** Processes a complete line; returns `false` if it is malformed. */
  #endLine(): boolean {
    const whole = this.#line;
    this.#line = '';
    if (whole.charCodeAt(whole.length - 2) !== CR) return false;
    const line = whole.slice(0, -2);
    if (this.#phase === 'data_end') {
      this.#phase = 'size';
      return line === '';
    }
    if (this.#phase === 'trailer') {
      this.#trailerBytes += whole.length;
      if (line === '') this.#phase = 'done';
      return line === '' || (TRAILER.test(line) && this.#trailerBytes <= TRAILER_BYTES_MAX);
    }
    const size = SIZE.exec(line)?.[1];
    if (size === undefined) return false;
    this.#left = Number.parseInt(size, 16);
    this.#phase = this.#left === 0 ? 'trailer' : 'data';
    return true;
  }
}
