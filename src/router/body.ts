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
export interface Taken {
  /** Bytes that belong to the body and its framing. */
  readonly used: number;
  readonly isDone: boolean;
}

/** Tracks a body as its bytes pass, to find its end. Buffers nothing. */
export interface BodyMeter {
  /**
   * Consumes the next bytes.
   *
   * @returns `undefined` if the bytes do not match this framing.
   */
  take(piece: Buffer): Taken | undefined;
}

/** Creates the tracker of a body. A message without a body needs none. */
export function meterOf(framing: Exclude<Framing, { kind: 'none' }>): BodyMeter {
  switch (framing.kind) {
    case 'length':
      return new LengthMeter(framing.bytes);
    case 'chunked':
      return new ChunkMeter();
    case 'close':
      return { take: (piece) => ({ used: piece.length, isDone: false }) };
  }
}

class LengthMeter implements BodyMeter {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(piece: Buffer): Taken {
    const used = Math.min(piece.length, this.#left);
    this.#left -= used;
    return { used, isDone: this.#left === 0 };
  }
}

type Place = 'size' | 'data' | 'data_end' | 'trailer' | 'done';

class ChunkMeter implements BodyMeter {
  #place: Place = 'size';
  #left = 0;
  /** The current line so far, without its end. */
  #line = '';
  #trailerBytes = 0;

  take(piece: Buffer): Taken | undefined {
    let at = 0;
    while (at < piece.length && this.#place !== 'done') {
      if (this.#place === 'data') {
        const step = Math.min(piece.length - at, this.#left);
        this.#left -= step;
        at += step;
        if (this.#left === 0) this.#place = 'data_end';
        continue;
      }
      const end = piece.indexOf(LF, at);
      const stop = end === -1 ? piece.length : end + 1;
      if (this.#line.length + stop - at > this.#lineMax) return undefined;
      this.#line += piece.toString('latin1', at, stop);
      at = stop;
      if (end !== -1 && !this.#endLine()) return undefined;
    }
    return { used: at, isDone: this.#place === 'done' };
  }

  get #lineMax(): number {
    return this.#place === 'trailer' ? TRAILER_BYTES_MAX : CHUNK_LINE_MAX;
  }

  /** Processes a complete line; returns `false` if it is malformed. */
  #endLine(): boolean {
    const whole = this.#line;
    this.#line = '';
    if (whole.charCodeAt(whole.length - 2) !== CR) return false;
    const line = whole.slice(0, -2);
    if (this.#place === 'data_end') {
      this.#place = 'size';
      return line === '';
    }
    if (this.#place === 'trailer') {
      this.#trailerBytes += whole.length;
      if (line === '') this.#place = 'done';
      return line === '' || (TRAILER.test(line) && this.#trailerBytes <= TRAILER_BYTES_MAX);
    }
    const size = SIZE.exec(line)?.[1];
    if (size === undefined) return false;
    this.#left = Number.parseInt(size, 16);
    this.#place = this.#left === 0 ? 'trailer' : 'data';
    return true;
  }
}
