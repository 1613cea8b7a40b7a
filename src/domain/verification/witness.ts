import { type Checkpoint, parseCheckpoint } from '../proof/checkpoint.ts';
import { type Hash, isSameHash, verifyConsistency } from '../proof/merkle.ts';
import { findSignedAt, parseNote, parseVerifierKey, type VerifyEd25519 } from '../proof/note.ts';

/** The state of a witness and the checkpoint to judge. */
export interface WitnessInput {
  /** The log's key, pinned at the first visit. */
  readonly key: string;
  /** The last cosigned checkpoint; `undefined` at the first visit. */
  readonly lastSeen: Pick<Checkpoint, 'size' | 'root'> | undefined;
  /** The current signed note of the log. */
  readonly noteText: string;
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
export async function judgeCheckpoint(look: WitnessInput): Promise<WitnessVerdict> {
  const { lastSeen, noteText, verify } = look;
  const key = parseVerifierKey(look.key);
  const note = parseNote(noteText);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (key === undefined || note === undefined || checkpoint === undefined) {
    return { state: 'unreadable', reason: 'the log returned no valid checkpoint' };
  }
  if ((await findSignedAt(note, key, verify)) === undefined || checkpoint.origin !== key.name) {
    return { state: 'unreadable', reason: `the checkpoint is not signed by ${key.name}` };
  }
  const reason =
    lastSeen === undefined ? undefined : await findForkReason(look, lastSeen, checkpoint);
  if (reason !== undefined) return { state: 'forked', reason };
  return { state: 'consistent', text: note.text, checkpoint };
}

async function findForkReason(
  { consistency }: WitnessInput,
  lastSeen: Pick<Checkpoint, 'size' | 'root'>,
  now: Checkpoint,
): Promise<string | undefined> {
  if (now.size === lastSeen.size) {
    return isSameHash(now.root, lastSeen.root) ? undefined : `two roots for ${now.size} records`;
  }
  const isGrown = now.size > lastSeen.size;
  const [older, newer] = isGrown ? [lastSeen, now] : [now, lastSeen];
  const path = await consistency(older.size, newer.size);
  if (path === undefined) {
    return `no proof that the log of ${older.size} records is a prefix of the log of ${newer.size}`;
  }
  const claim = { older: older.size, newer: newer.size, path };
  return verifyConsistency({ ...claim, olderRoot: older.root, newerRoot: newer.root })
    ? undefined
    : `the first ${older.size} of ${newer.size} records differ from those seen before`;
}
