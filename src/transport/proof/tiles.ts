import { AppError } from '../../domain/common/error.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import { encodeRecord } from '../../domain/proof/record.ts';
import type { HttpReply } from '../http/host.ts';
import { bytesReply } from './replies.ts';

/** The tile format of C2SP `tlog-tiles`: entries per full tile, and the highest level. */
const TILE_WIDTH = 256;
const TILE_LEVEL_MAX = 6;
/** A tile never changes: the name of a partial tile includes its width. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** `x001/x234/067` is tile 1234067. Only partial tiles have the width part. */
const TILE = /^(entries|\d)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/**
 * Returns a tile of C2SP `tlog-tiles`, by the path after `tile/`.
 *
 * @param size - Records that the published checkpoint covers. Tiles contain no others.
 * @throws {AppError} `INPUT_INVALID` for an invalid name, `PROOF_UNKNOWN` beyond the log.
 */
export function tileReply(log: ProofLog, name: string, size: number): HttpReply {
  const { level, index, width } = parseTile(name);
  const span = level === 'entries' ? 1 : TILE_WIDTH ** level;
  const available = Math.floor(size / span) - index * TILE_WIDTH;
  if (width > available) {
    throw new AppError('PROOF_UNKNOWN', {
      message: 'The tile is beyond the published log.',
      data: { received: name, size },
    });
  }
  const body =
    level === 'entries'
      ? entryBytes(log, index * TILE_WIDTH, width)
      : Buffer.concat(log.tile(level, index).slice(0, width));
  return bytesReply('application/octet-stream', body, IMMUTABLE);
}

interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

function parseTile(name: string): Tile {
  const [, level = '', path = '', part] = TILE.exec(name) ?? [];
  const width = part === undefined ? TILE_WIDTH : Number(part);
  const isFit = level === 'entries' || Number(level) <= TILE_LEVEL_MAX;
  const isName = level !== '' && isFit && !path.startsWith('x000/');
  if (isName && (part === undefined || width < TILE_WIDTH)) {
    const index = Number(path.replaceAll(/[x/]/g, ''));
    return { level: level === 'entries' ? 'entries' : Number(level), index, width };
  }
  throw new AppError('INPUT_INVALID', {
    message: 'The path is not a tile of C2SP tlog-tiles.',
    data: {
      received: name.slice(0, 200),
      allowed: `<level 0 to ${TILE_LEVEL_MAX}, or entries>/<index as x001/234>[.p/<1 to 255>]`,
    },
  });
}

/** Returns the records of a tile, each after its two-byte length. */
function entryBytes(log: ProofLog, first: number, width: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let seq = first; seq < first + width; seq += 1) {
    const record = log.record(seq);
    if (record === undefined) throw new AppError('INVARIANT', { message: `no record ${seq}` });
    const entry = encodeRecord(record);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    parts.push(length, entry);
  }
  return Buffer.concat(parts);
}
