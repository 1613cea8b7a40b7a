import { z } from 'zod';
import { fromBase64 } from '../proof/base64.ts';
import { type Checkpoint, parseCheckpoint } from '../proof/checkpoint.ts';
import { verifyInclusion } from '../proof/merkle.ts';
import {
  findSignedAt,
  parseNote,
  parseVerifierKey,
  type SignedNote,
  type VerifyEd25519,
} from '../proof/note.ts';
import { hashRecord, ProofRecord } from '../proof/record.ts';
import { AnchorClaim, findAnchorProblem } from './anchor.ts';
import { invalidVerdict } from './invalid-verdict.ts';

/** Maximum number of hashes in a path: enough for 2^64 records. */
export const PROOF_PATH_MAX = 64;
const NOTE_CHARS_MAX = 20_000;
const KEY_CHARS_MAX = 1_000;

/** A self-contained proof: a record, its path to the root, and the signature of that root. */
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
  /** Key of the log as stated by the server. Compare it with one from another source. */
  key: z.string().max(KEY_CHARS_MAX),
  /** The chain anchor of a root that covers the record. */
  anchor: AnchorClaim.optional(),
});
/** A self-contained proof. */
export type ProofFile = z.infer<typeof ProofFile>;

/** A witness that cosigned the checkpoint. */
export interface WitnessCosignature {
  /** Verifier key as requested. */
  readonly witness: string;
  /** Seconds since 1970 by the witness's clock. */
  readonly atS: number;
}

/** Verdict on a proof file. */
export type ProofVerdict =
  | {
      readonly isValid: true;
      readonly record: ProofRecord;
      readonly origin: string;
      readonly size: number;
      /** The key that signed the checkpoint. */
      readonly key: string;
      /** The requested witnesses, all of which cosigned. */
      readonly cosigned: readonly WitnessCosignature[];
      /** The anchor fits the log; its presence on the chain was not checked. `null` if none. */
      readonly anchor: AnchorClaim | null;
    }
  | { readonly isValid: false; readonly reason: string };

/** Input of a proof verification. */
export interface ProofCheck {
  /** A verifier key from another source. If absent, the key in the file is trusted. */
  readonly key?: string;
  /** Verifier keys of witnesses that must have cosigned the checkpoint. */
  readonly witnesses?: readonly string[];
  readonly verify: VerifyEd25519;
}

/**
 * Verifies a proof file offline: the schema of the record, its place in the tree, the signature of
 * the root, requested cosignatures, and that an anchor belongs to the log. It proves that the key
 * holder recorded this, not that it is true.
 */
export async function verifyProofFile(value: unknown, check: ProofCheck): Promise<ProofVerdict> {
  const parsed = ProofFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalidVerdict(`it is not a proof file: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const { record, checkpoint, key: ownKey, anchor } = parsed.data;
  const keyText = check.key ?? ownKey;
  const note = parseNote(checkpoint);
  const signed = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || signed === undefined) {
    return invalidVerdict('the checkpoint cannot be read');
  }
  const fault =
    (await findKeyProblem(note, signed, keyText, check.verify)) ??
    findPathProblem(parsed.data, signed) ??
    (anchor === undefined ? undefined : findAnchorProblem(anchor, signed, record.seq));
  if (fault !== undefined) return invalidVerdict(fault);
  const cosigned: WitnessCosignature[] = [];
  for (const witness of check.witnesses ?? []) {
    const key = parseVerifierKey(witness);
    if (key?.algorithm !== 'cosignature') return invalidVerdict(`${witness} is not a witness key`);
    const atS = await findSignedAt(note, key, check.verify);
    if (atS === undefined) return invalidVerdict(`the witness ${key.name} has not cosigned`);
    cosigned.push({ witness, atS });
  }
  const { origin, size } = signed;
  return { isValid: true, record, origin, size, key: keyText, cosigned, anchor: anchor ?? null };
}

async function findKeyProblem(
  note: SignedNote,
  { origin }: Checkpoint,
  written: string,
  verify: VerifyEd25519,
): Promise<string | undefined> {
  const key = parseVerifierKey(written);
  if (key?.algorithm !== 'ed25519') return 'the key is not a verifier key (name+id+key)';
  if ((await findSignedAt(note, key, verify)) === undefined) {
    return `the checkpoint is not signed by the key of ${key.name}`;
  }
  return origin === key.name ? undefined : 'the checkpoint and the key belong to different logs';
}

function findPathProblem({ record, inclusion }: ProofFile, signed: Checkpoint): string | undefined {
  if (signed.size !== inclusion.size) return 'the path and the checkpoint have different sizes';
  if (record.seq !== inclusion.seq) return 'the path belongs to another record';
  const path = inclusion.path.map(fromBase64);
  if (!isCompletePath(path)) return 'the path is not a list of hashes';
  const { seq: index, size } = inclusion;
  return verifyInclusion({ leaf: hashRecord(record), index, size, path, root: signed.root })
    ? undefined
    : 'the record is not in the signed log';
}

function isCompletePath(path: readonly (Uint8Array | undefined)[]): path is readonly Uint8Array[] {
  return path.every((hash) => hash?.length === HASH_BYTES);
}

const HASH_BYTES = 32;
