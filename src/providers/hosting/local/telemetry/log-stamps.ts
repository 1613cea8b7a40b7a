import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes of one stamp: position of a piece in its log, and milliseconds since 1970. */
const STAMP_BYTES = 16;

/** Write times of the parts of a log. */
export interface LogStamps extends Disposable {
  /** Returns when the byte at a position was written, in milliseconds; `undefined` if unknown. */
  find(place: number): number | undefined;
}

/** Opens the stamps of a log; a log of an older writer has none. */
export function openLogStamps(file: string): LogStamps {
  const fd = tryOpen(file);
  if (fd === undefined) return { find: () => undefined, [Symbol.dispose]: () => undefined };
  const count = Math.floor(fstatSync(fd).size / STAMP_BYTES);
  const stamp = Buffer.alloc(STAMP_BYTES);
  const read = (at: number): { readonly place: number; readonly ms: number } => {
    readSync(fd, stamp, 0, STAMP_BYTES, at * STAMP_BYTES);
    return { place: Number(stamp.readBigUInt64LE(0)), ms: Number(stamp.readBigUInt64LE(8)) };
  };
  // Lines are queried in order, and many belong to the same piece.
  let last = { from: 0, to: 0, ms: 0 };
  return {
    find: (position) => {
      if (position >= last.from && position < last.to) return last.ms;
      // Binary search for the last piece that starts at or before the position. A hole reads as
      // zeros.
      let [low, high] = [0, count];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (read(middle).place <= position) low = middle + 1;
        else high = middle;
      }
      const { place: from, ms } = low === 0 ? { place: 0, ms: 0 } : read(low - 1);
      if (ms === 0) return undefined;
      last = { from, to: low < count ? read(low).place : Number.POSITIVE_INFINITY, ms };
      return ms;
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

function tryOpen(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}
