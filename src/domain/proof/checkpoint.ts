import { fromBase64, toBase64 } from './base64.ts';
import type { Hash } from './merkle.ts';

/** State of a log at one size, as in C2SP `tlog-checkpoint`. */
export interface Checkpoint {
  /** Unique name of the log, such as `example.org/stoa`. */
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

/** Formats a checkpoint as the text that is signed as a note. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Parses the text of a checkpoint and ignores further lines. `undefined` for an invalid text. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, sizeText, hash, ...rest] = text.split('\n');
  if (!origin || sizeText === undefined || hash === undefined || rest.length === 0)
    return undefined;
  const root = fromBase64(hash);
  const size = Number(sizeText);
  if (!/^(0|[1-9]\d*)$/.test(sizeText) || !Number.isSafeInteger(size)) return undefined;
  return root?.length === HASH_BYTES ? { origin, size, root } : undefined;
}

const HASH_BYTES = 32;
