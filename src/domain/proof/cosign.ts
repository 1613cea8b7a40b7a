import { AppError } from '../common/error.ts';
import { HOUR_MS, SECOND_MS } from '../common/time.ts';
import { parseCheckpoint } from './checkpoint.ts';
import {
  findSignedAt,
  formatNote,
  type NoteSignature,
  parseNote,
  parseVerifierKey,
  type VerifierKey,
  type VerifyEd25519,
} from './note.ts';
import type { ProofEvidence } from './proof-log.ts';

/** Maximum number of witnesses of a log. */
export const WITNESSES_MAX = 16;
/** Maximum lead of a witness's clock, in milliseconds. */
const CLOCK_LEAD_MAX_MS = HOUR_MS;
const EXCERPT_CHARS = 200;

/** Dependencies of the verification of cosignatures. */
export interface CosigningDeps {
  readonly evidence: ProofEvidence;
  readonly witnesses: readonly VerifierKey[];
  readonly verify: VerifyEd25519;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The cosignatures that were stored. */
export interface StoredCosignatures {
  readonly size: number;
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
}

/**
 * Parses the verifier keys of witnesses, each as `name+id+key`.
 *
 * @throws {AppError} `CONFIG_INVALID` for an invalid key, or for more than 16.
 */
export function parseWitnessKeys(keyTexts: readonly string[]): readonly VerifierKey[] {
  const keys = keyTexts.map((text) => {
    const key = parseVerifierKey(text);
    if (key?.algorithm === 'cosignature') return key;
    throw new AppError('CONFIG_INVALID', {
      message: 'STOA_WITNESS_KEYS must list witness keys as printed by `stoa witness`.',
      data: { received: text.slice(0, EXCERPT_CHARS), allowed: 'name+id+key, cosignature/v1' },
    });
  });
  if (keys.length <= WITNESSES_MAX) return keys;
  throw new AppError('CONFIG_INVALID', {
    message: `A log accepts at most ${WITNESSES_MAX} witnesses.`,
    data: { received: keys.length, allowed: WITNESSES_MAX },
  });
}

/**
 * Verifies and stores the cosignatures of known witnesses on a checkpoint of this log. All are
 * verified before any is stored. Idempotent.
 *
 * @throws {AppError} `INPUT_INVALID`; `PROOF_UNKNOWN` for a checkpoint that this log never signed;
 * `FORBIDDEN` for an unknown witness; `COSIGNATURE_FORGED`
 */
export async function acceptCosignatures(
  noteText: string,
  parts: CosigningDeps,
): Promise<StoredCosignatures> {
  const { evidence, witnesses } = parts;
  const note = parseNote(noteText);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || checkpoint === undefined) {
    throw new AppError('INPUT_INVALID', {
      message:
        'The body must be a checkpoint of this log with cosignature lines (C2SP signed-note).',
      data: { received: noteText.slice(0, EXCERPT_CHARS), allowed: 'C2SP signed-note' },
    });
  }
  const { size } = checkpoint;
  const storedNote = parseNote(evidence.checkpointOf(size) ?? '');
  if (storedNote?.text !== note.text) {
    throw new AppError('PROOF_UNKNOWN', {
      message: 'This log never signed that checkpoint.',
      data: { received: note.text.slice(0, EXCERPT_CHARS) },
    });
  }
  const log = storedNote.signatures[0]?.name;
  const submitted = note.signatures.filter(({ name }) => name !== log);
  if (submitted.length === 0) {
    throw new AppError('INPUT_INVALID', {
      message: 'The checkpoint has no cosignature.',
      data: { received: note.signatures.length, allowed: 'a line of a known witness' },
    });
  }
  const accepted = [];
  for (const signature of submitted) {
    const key = requireKnownWitness(witnesses, signature);
    accepted.push({ key, signature, atMs: await verifyTime(note.text, { key, signature }, parts) });
  }
  for (const { key, signature } of accepted) {
    const { name } = key;
    const line = formatNote({ text: '', signatures: [signature] }).slice(1);
    await evidence.storeCosignature(size, name, line);
  }
  const storedBy = accepted.map(({ key, atMs }) => ({
    name: key.name,
    at: new Date(atMs).toISOString(),
  }));
  return { size, witnesses: storedBy };
}

function requireKnownWitness(
  witnesses: readonly VerifierKey[],
  { name, keyId }: NoteSignature,
): VerifierKey {
  const key = witnesses.find(
    (each) => each.name === name && each.keyId.every((byte, at) => byte === keyId[at]),
  );
  if (key !== undefined) return key;
  throw new AppError('FORBIDDEN', {
    message: 'This witness is not configured.',
    data: { received: name.slice(0, EXCERPT_CHARS), allowed: witnesses.map((each) => each.name) },
  });
}

interface SubmittedCosignature {
  readonly key: VerifierKey;
  readonly signature: NoteSignature;
}

async function verifyTime(
  text: string,
  cosignature: SubmittedCosignature,
  parts: CosigningDeps,
): Promise<number> {
  const { key, signature } = cosignature;
  const atS = await findSignedAt({ text, signatures: [signature] }, key, parts.verify);
  if (atS === undefined) {
    throw new AppError('COSIGNATURE_FORGED', { data: { received: key.name } });
  }
  const atMs = atS * SECOND_MS;
  if (atMs <= parts.now + CLOCK_LEAD_MAX_MS) return atMs;
  throw new AppError('INPUT_INVALID', {
    message: 'The time of the cosignature is too far in the future.',
    data: { received: atS, allowed: Math.floor((parts.now + CLOCK_LEAD_MAX_MS) / SECOND_MS) },
  });
}
