import { z } from 'zod';
import { fromBase64 } from '../proof/base64.ts';
import { type Checkpoint, parseCheckpoint } from '../proof/checkpoint.ts';
import { isIncluded } from '../proof/merkle.ts';
import {
  parseNote,
  parseVerifierKey,
  type SignedNote,
  signedAt,
  type VerifyEd25519,
} from '../proof/note.ts';
import { ProofRecord, recordHash } from '../proof/record.ts';
import { AnchorClaim, anchorFault } from './anchor.ts';

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
  /** The signed note of C2SP `tlog-checkpoint`, with the cosignatures of witnesses. */
  checkpoint: z.string().max(NOTE_CHARS_MAX),
  /** The log's key as the server names it. Compare it with one from elsewhere. */
  key: z.string().max(KEY_CHARS_MAX),
  /** Where a chain holds a root of the log that covers the record. */
  anchor: AnchorClaim.optional(),
});
/** See the schema. */
export type ProofFile = z.infer<typeof ProofFile>;

/** A witness that has cosigned. */
export interface Cosigned {
  /** Its verifier key, as it was asked for. */
  readonly witness: string;
  /** Seconds, by the witness's clock. */
  readonly atS: number;
}

/** What a check of a proof file came to. */
export type ProofVerdict =
  | {
      readonly isValid: true;
      readonly record: ProofRecord;
      readonly origin: string;
      readonly size: number;
      /** The key that signed the checkpoint. */
      readonly key: string;
      /** The witnesses that were asked for; all have cosigned. */
      readonly cosigned: readonly Cosigned[];
      /** Fits the log; whether the chain holds it was not asked. `null` without one. */
      readonly anchor: AnchorClaim | null;
    }
  | { readonly isValid: false; readonly reason: string };

/** What a proof file is checked with. */
export interface ProofCheck {
  /** A verifier key from elsewhere; without one the file's own key is believed. */
  readonly key?: string;
  /** Verifier keys of witnesses that must all have cosigned the checkpoint. */
  readonly witnesses?: readonly string[];
  readonly verify: VerifyEd25519;
}

/**
 * Checks a proof file without any server: the record's form, its place in the tree, the signature
 * over the root, the cosignatures that are asked for, and that an anchor is of the same log. It
 * shows that the log's key holder recorded this, not that it is true.
 */
export async function verifyProofFile(value: unknown, check: ProofCheck): Promise<ProofVerdict> {
  const parsed = ProofFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalid(`it is no proof file: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const { record, checkpoint, key: ownKey, anchor } = parsed.data;
  const written = check.key ?? ownKey;
  const note = parseNote(checkpoint);
  const signed = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || signed === undefined) return invalid('the checkpoint cannot be read');
  const fault =
    (await keyFault(note, signed, written, check.verify)) ??
    placeFault(parsed.data, signed) ??
    (anchor === undefined ? undefined : anchorFault(anchor, signed, record.seq));
  if (fault !== undefined) return invalid(fault);
  const cosigned: Cosigned[] = [];
  for (const witness of check.witnesses ?? []) {
    const key = parseVerifierKey(witness);
    if (key?.algorithm !== 'cosignature') return invalid(`${witness} is no witness’s key`);
    const atS = await signedAt(note, key, check.verify);
    if (atS === undefined) return invalid(`the witness ${key.name} has not cosigned`);
    cosigned.push({ witness, atS });
  }
  const { origin, size } = signed;
  return { isValid: true, record, origin, size, key: written, cosigned, anchor: anchor ?? null };
}

async function keyFault(
  note: SignedNote,
  { origin }: Checkpoint,
  written: string,
  verify: VerifyEd25519,
): Promise<string | undefined> {
  const key = parseVerifierKey(written);
  if (key?.algorithm !== 'ed25519') return 'the key is no verifier key (name+id+key)';
  if ((await signedAt(note, key, verify)) === undefined) {
    return `the checkpoint is not signed by the key of ${key.name}`;
  }
  return origin === key.name ? undefined : 'the checkpoint is of another log than the key';
}

function placeFault({ record, inclusion }: ProofFile, signed: Checkpoint): string | undefined {
  if (signed.size !== inclusion.size) return 'path and checkpoint are of different sizes';
  if (record.seq !== inclusion.seq) return 'the path is that of another record';
  const path = inclusion.path.map(fromBase64);
  if (!isWhole(path)) return 'the path is no list of hashes';
  const { seq: index, size } = inclusion;
  return isIncluded({ leaf: recordHash(record), index, size, path, root: signed.root })
    ? undefined
    : 'the record is not in the log that was signed';
}

function isWhole(path: readonly (Uint8Array | undefined)[]): path is readonly Uint8Array[] {
  return path.every((hash) => hash?.length === HASH_BYTES);
}

const HASH_BYTES = 32;

function invalid(reason: string): ProofVerdict {
  return { isValid: false, reason };
}
