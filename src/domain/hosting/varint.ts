import { invariant } from '../common/error.ts';

/** Seven bits per byte, lowest first. */
const BITS_PER_BYTE = 7;
const BASE = 2 ** BITS_PER_BYTE;

/** Writes non-negative integers and floats one after another. */
export class ByteWriter {
  readonly #toBytes: number[] = [];

  /** @param value - A whole number from 0 to 2^53. */
  varint(value: number): this {
    invariant(Number.isSafeInteger(value) && value >= 0, 'a varint is a whole number from 0 up');
    let rest = value;
    while (rest >= BASE) {
      this.#toBytes.push((rest % BASE) + BASE);
      rest = Math.floor(rest / BASE);
    }
    this.#toBytes.push(rest);
    return this;
  }

  /** Writes an integer of either sign in zigzag encoding, short near 0. */
  signed(value: number): this {
    return this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  float64(value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#toBytes.push(...bytes);
    return this;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#toBytes);
  }
}

/** Reads the output of a {@link ByteWriter}. Truncated input violates an invariant. */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#view.byteLength;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= BASE) {
      invariant(!this.isAtEnd, 'a row of numbers ends too early');
      const byte = this.#view.getUint8(this.#at);
      this.#at += 1;
      value += (byte % BASE) * factor;
      if (byte < BASE) return value;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float64(): number {
    invariant(this.#at + 8 <= this.#view.byteLength, 'a row of numbers ends too early');
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }
}
