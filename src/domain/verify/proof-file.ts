import { z } from 'zod';
import { fromBase64 } from '../proof/base64.ts';
import { parseCheckpoint } from '../proof/checkpoint.ts';
import { isIncluded } from '../proof/merkle.ts';
import { parseNote, parseVerifierKey, signedAt, type VerifyEd25519 } from '../proof/note.ts';
import { ProofRecord, recordHash } from '../proof/record.ts';

/** Most hashes of a path: that of a log of 2^64 records. */
export const PROOF_PATH_MAX = 64;
const NOTE_CHARS_MAX = 20_000;
const KEY_CHARS_MAX = 1_000;

/** A proof that stands for itself: a record, its way to the root, and who signed that root. */
export const ProofFile = z.strictObject({
  v: z.literal(1),
  record: ProofRecord,
  inclusion: z.strictObject({
    seq: z.int().min(0),
    size: z.int().min(1),
    /** From the leaf upwards, in base64. */
    path: z.array(z.string().max(KEY_CHARS_MAX)).max(PROOF_PATH_MAX),
  }),
  /** The signed note of C2SP `tlog-checkpoint`. */
  checkpoint: z.string().max(NOTE_CHARS_MAX),
  /** The log's key as the server names it. Compare it with one from elsewhere. */
  key: z.string().max(KEY_CHARS_MAX),
});
/** See the schema. */
export type ProofFile = z.infer<typeof ProofFile>;

/** What a check of a proof file came to. */
export type ProofVerdict =
  | {
      readonly isValid: true;
      readonly record: ProofRecord;
      readonly origin: string;
      readonly size: number;
      /** The key that signed the checkpoint. */
      readonly key: string;
    }
  | { readonly isValid: false; readonly reason: string };

/** What a proof file is checked with. */
export interface ProofCheck {
  /** A verifier key from elsewhere; without one the file's own key is believed. */
  readonly key?: string;
  readonly verify: VerifyEd25519;
}

/**
 * Checks a proof file without any server: the record's form, its place in the tree, and the
 * signature over the root. It shows that the log's key holder recorded this, not that it is true.
 */
export async function verifyProofFile(value: unknown, check: ProofCheck): Promise<ProofVerdict> {
  const parsed = ProofFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalid(`it is no proof file: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const { record, inclusion, checkpoint, key: ownKey } = parsed.data;
  const written = check.key ?? ownKey;
  const key = parseVerifierKey(written);
  if (key === undefined) return invalid('the key is no verifier key (name+id+key)');
  const note = parseNote(checkpoint);
  const signed = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || signed === undefined) return invalid('the checkpoint cannot be read');
  if ((await signedAt(note, key, check.verify)) === undefined) {
    return invalid(`the checkpoint is not signed by the key of ${key.name}`);
  }
  if (signed.origin !== key.name) return invalid('the checkpoint is of another log than the key');
  if (signed.size !== inclusion.size) return invalid('path and checkpoint are of different sizes');
  if (record.seq !== inclusion.seq) return invalid('the path is that of another record');
  const path = inclusion.path.map(fromBase64);
  if (!isWhole(path)) return invalid('the path is no list of hashes');
  const { seq: index, size } = inclusion;
  if (!isIncluded({ leaf: recordHash(record), index, size, path, root: signed.root })) {
    return invalid('the record is not in the log that was signed');
  }
  return { isValid: true, record, origin: signed.origin, size, key: written };
}

function isWhole(path: readonly (Uint8Array | undefined)[]): path is readonly Uint8Array[] {
  return path.every((hash) => hash?.length === HASH_BYTES);
}

const HASH_BYTES = 32;

function invalid(reason: string): ProofVerdict {
  return { isValid: false, reason };
}
