import { constants, deflateRawSync } from 'node:zlib';
import type { HttpReply } from '../http/host.ts';

/** The header of a gzip member: deflate, no name, no time, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Largest stored (uncompressed) deflate block, in bytes. */
const STORED_BYTES_MAX = 0xffff;
const CRC_POLYNOMIAL = 0xedb88320;

const PLAIN_HEADERS = ['content-type', 'application/json'];
const GZIP_HEADERS = [...PLAIN_HEADERS, 'content-encoding', 'gzip', 'vary', 'accept-encoding'];

/** Room for a tail behind a shared text, in bytes. Longer ones are rare and copy the text. */
const TAIL_BYTES = 1_024;

/**
 * A long JSON text that many replies share, up to a short individual tail. The text is compressed
 * once; each reply appends its tail as a stored block.
 */
export class SharedText {
  private readonly text: Buffer;
  private readonly plain: TailedBytes;
  private packed: CompressedText | undefined;

  constructor(text: string) {
    this.text = Buffer.from(text);
    this.plain = new TailedBytes(this.text);
  }

  /**
   * Builds the reply with its tail, in gzip if `isPacked`. The next reply reuses the bytes of its
   * body, which an engine has read by then.
   */
  reply(tail: string, isPacked: boolean): HttpReply {
    const end = Buffer.from(tail);
    if (!isPacked || end.length > STORED_BYTES_MAX) {
      return { status: 200, headers: PLAIN_HEADERS, body: this.plain.with(end) };
    }
    this.packed ??= compressText(this.text);
    return { status: 200, headers: GZIP_HEADERS, body: appendTail(this.packed, end) };
  }
}

/** Bytes with room behind them, so that a tail is written without a copy of all. */
class TailedBytes {
  private readonly buffer: Buffer;
  private readonly length: number;

  constructor(bytes: Buffer) {
    this.buffer = Buffer.concat([bytes], bytes.length + TAIL_BYTES);
    this.length = bytes.length;
  }

  /** Returns the bytes and the tail. They stand until the next call. */
  with(tail: Buffer): Buffer {
    if (tail.length > TAIL_BYTES) {
      return Buffer.concat([this.buffer.subarray(0, this.length), tail]);
    }
    tail.copy(this.buffer, this.length);
    return this.buffer.subarray(0, this.length + tail.length);
  }
}

interface CompressedText {
  /** Ends at a byte boundary, so that a block can follow. */
  readonly bytes: TailedBytes;
  /** Checksum of the text, which the gzip trailer continues. */
  readonly crc: number;
  readonly textBytes: number;
}

function compressText(text: Buffer): CompressedText {
  const deflated = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
  const bytes = new TailedBytes(Buffer.concat([GZIP_HEAD, deflated]));
  return { bytes, crc: crc32(text, 0), textBytes: text.length };
}

function appendTail({ bytes, crc, textBytes }: CompressedText, tail: Buffer): Buffer {
  const block = Buffer.alloc(5);
  block.writeUInt8(1);
  block.writeUInt16LE(tail.length, 1);
  block.writeUInt16LE(STORED_BYTES_MAX - tail.length, 3);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(tail, crc));
  end.writeUInt32LE(textBytes + tail.length, 4);
  return bytes.with(Buffer.concat([block, tail, end]));
}

/** Continues a CRC-32. `node:zlib` has one only since Node 20.15. */
function crc32(bytes: Buffer, before: number): number {
  let crc = ~before;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ CRC_POLYNOMIAL : value >>> 1;
  }
  return value;
});
