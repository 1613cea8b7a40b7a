import { type Checkpoint, parseCheckpoint } from '../proof/checkpoint.ts';
import { type Hash, isConsistent, isSame } from '../proof/merkle.ts';
import { parseNote, parseVerifierKey, signedAt, type VerifyEd25519 } from '../proof/note.ts';

/** The state of a witness and the checkpoint to judge. */
export interface WitnessLook {
  /** The log's key, pinned at the first visit. */
  readonly key: string;
  /** The last cosigned checkpoint; `undefined` at the first visit. */
  readonly seen: Pick<Checkpoint, 'size' | 'root'> | undefined;
  /** The current signed note of the log. */
  readonly written: string;
  readonly verify: VerifyEd25519;
  /** Requests the consistency proof between two sizes; `undefined` if the log returns none. */
  consistency(from: number, to: number): Promise<readonly Hash[] | undefined>;
}

/** The verdict of a witness. Never ignore `forked`. */
export type WitnessVerdict =
  | { readonly state: 'consistent'; readonly text: string; readonly checkpoint: Checkpoint }
  | { readonly state: 'unreadable'; readonly reason: string }
  | { readonly state: 'forked'; readonly reason: string };

/**
 * Judges a checkpoint: it must be signed by the pinned key, belong to the same log, and be
 * consistent with the last one seen.
 */
export async function judgeCheckpoint(look: WitnessLook): Promise<WitnessVerdict> {
  const { seen, written, verify } = look;
  const key = parseVerifierKey(look.key);
  const note = parseNote(written);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (key === undefined || note === undefined || checkpoint === undefined) {
    return { state: 'unreadable', reason: 'the log returned no valid checkpoint' };
  }
  if ((await signedAt(note, key, verify)) === undefined || checkpoint.origin !== key.name) {
    return { state: 'unreadable', reason: `the checkpoint is not signed by ${key.name}` };
  }
  const reason = seen === undefined ? undefined : await forkReason(look, seen, checkpoint);
  if (reason !== undefined) return { state: 'forked', reason };
  return { state: 'consistent', text: note.text, checkpoint };
}

async function forkReason(
  { consistency }: WitnessLook,
  seen: Pick<Checkpoint, 'size' | 'root'>,
  now: Checkpoint,
): Promise<string | undefined> {
  if (now.size === seen.size) {
    return isSame(now.root, seen.root) ? undefined : `two roots for ${now.size} records`;
  }
  const isGrown = now.size > seen.size;
  const [older, newer] = isGrown ? [seen, now] : [now, seen];
  const path = await consistency(older.size, newer.size);
  if (path === undefined) {
    return `no proof that the log of ${older.size} records is a prefix of the log of ${newer.size}`;
  }
  const claim = { older: older.size, newer: newer.size, path };
  return isConsistent({ ...claim, olderRoot: older.root, newerRoot: newer.root })
    ? undefined
    : `the first ${older.size} of ${newer.size} records differ from those seen before`;
}
