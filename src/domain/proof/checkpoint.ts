import { fromBase64, toBase64 } from './base64.ts';
import type { Hash } from './merkle.ts';

/** What a log says of itself at one size, as C2SP `tlog-checkpoint` has it. */
export interface Checkpoint {
  /** Unique name of the log, such as `example.org/stoa`. */
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

/** The text of a checkpoint, which is signed as a note. */
export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Reads the text of a checkpoint; further lines are left alone. `undefined` when it is none. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, written, hash, ...rest] = text.split('\n');
  if (!origin || written === undefined || hash === undefined || rest.length === 0) return undefined;
  const root = fromBase64(hash);
  const size = Number(written);
  if (!/^(0|[1-9]\d*)$/.test(written) || !Number.isSafeInteger(size)) return undefined;
  return root?.length === HASH_BYTES ? { origin, size, root } : undefined;
}

const HASH_BYTES = 32;
