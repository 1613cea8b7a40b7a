import { constants, deflateRawSync } from 'node:zlib';
import type { HttpReply } from '../http/host.ts';

/** The head of a gzip member: deflate, no name, no time, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Most bytes of a block that deflate stores as they are. */
const STORED_BYTES_MAX = 0xffff;
const CRC_POLYNOMIAL = 0xedb88320;

const PLAIN = ['content-type', 'application/json'];
const PACKED = [...PLAIN, 'content-encoding', 'gzip', 'vary', 'accept-encoding'];

/**
 * A long JSON text that is the same in many answers, up to a short tail that belongs to one. It is
 * compressed once; for each answer only its tail is added, stored as it is.
 */
export class KeptText {
  private readonly text: Buffer;
  private packed: PackedText | undefined;

  constructor(text: string) {
    this.text = Buffer.from(text);
  }

  /** The answer with its tail, in gzip where `isPacked`. */
  reply(tail: string, isPacked: boolean): HttpReply {
    const end = Buffer.from(tail);
    if (!isPacked || end.length > STORED_BYTES_MAX) {
      return { status: 200, headers: PLAIN, body: Buffer.concat([this.text, end]) };
    }
    this.packed ??= pack(this.text);
    return { status: 200, headers: PACKED, body: finish(this.packed, end) };
  }
}

interface PackedText {
  /** Ends at a whole byte, and goes on. */
  readonly bytes: Buffer;
  /** Of the text, as gzip wants it behind the whole. */
  readonly crc: number;
  readonly textBytes: number;
}

function pack(text: Buffer): PackedText {
  const deflated = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
  const bytes = Buffer.concat([GZIP_HEAD, deflated]);
  return { bytes, crc: checksum(text, 0), textBytes: text.length };
}

function finish({ bytes, crc, textBytes }: PackedText, tail: Buffer): Buffer {
  const block = Buffer.alloc(5);
  block.writeUInt8(1);
  block.writeUInt16LE(tail.length, 1);
  block.writeUInt16LE(STORED_BYTES_MAX - tail.length, 3);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(checksum(tail, crc));
  end.writeUInt32LE(textBytes + tail.length, 4);
  return Buffer.concat([bytes, block, tail, end]);
}

/** CRC-32, carried on from what stands before. `node:zlib` has it from Node 20.15 on only. */
function checksum(bytes: Buffer, before: number): number {
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
