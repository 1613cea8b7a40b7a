import { AppError } from '../common/error.ts';
import { HOUR_MS, SECOND_MS } from '../common/time.ts';
import { parseCheckpoint } from './checkpoint.ts';
import {
  type NoteSignature,
  parseNote,
  parseVerifierKey,
  signedAt,
  type VerifierKey,
  type VerifyEd25519,
  writeNote,
} from './note.ts';
import type { ProofEvidence } from './proof-log.ts';

/** Maximum number of witnesses of a log. */
export const WITNESSES_MAX = 16;
/** Maximum lead of a witness's clock, in milliseconds. */
const AHEAD_MAX_MS = HOUR_MS;
const SHOWN_CHARS = 200;

/** Dependencies of the verification of cosignatures. */
export interface CosigningParts {
  readonly evidence: ProofEvidence;
  readonly witnesses: readonly VerifierKey[];
  readonly verify: VerifyEd25519;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The cosignatures that were stored. */
export interface Cosigned {
  readonly size: number;
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
}

/**
 * Parses the verifier keys of witnesses, each as `name+id+key`.
 *
 * @throws {AppError} `CONFIG_INVALID` for an invalid key, or for more than 16.
 */
export function readWitnesses(written: readonly string[]): readonly VerifierKey[] {
  const keys = written.map((text) => {
    const key = parseVerifierKey(text);
    if (key?.algorithm === 'cosignature') return key;
    throw new AppError('CONFIG_INVALID', {
      message: 'STOA_WITNESS_KEYS must list witness keys as printed by `stoa witness`.',
      data: { received: text.slice(0, SHOWN_CHARS), allowed: 'name+id+key, cosignature/v1' },
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
export async function takeCosignatures(written: string, parts: CosigningParts): Promise<Cosigned> {
  const { evidence, witnesses } = parts;
  const note = parseNote(written);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || checkpoint === undefined) {
    throw new AppError('INPUT_INVALID', {
      message:
        'The body must be a checkpoint of this log with cosignature lines (C2SP signed-note).',
      data: { received: written.slice(0, SHOWN_CHARS), allowed: 'C2SP signed-note' },
    });
  }
  const { size } = checkpoint;
  const own = parseNote(evidence.checkpointOf(size) ?? '');
  if (own?.text !== note.text) {
    throw new AppError('PROOF_UNKNOWN', {
      message: 'This log never signed that checkpoint.',
      data: { received: note.text.slice(0, SHOWN_CHARS) },
    });
  }
  const log = own.signatures[0]?.name;
  const brought = note.signatures.filter(({ name }) => name !== log);
  if (brought.length === 0) {
    throw new AppError('INPUT_INVALID', {
      message: 'The checkpoint has no cosignature.',
      data: { received: note.signatures.length, allowed: 'a line of a known witness' },
    });
  }
  const taken = [];
  for (const signature of brought) {
    const key = knownTo(witnesses, signature);
    taken.push({ key, signature, atMs: await checkedAt(note.text, { key, signature }, parts) });
  }
  for (const { key, signature } of taken) {
    const { name } = key;
    const line = writeNote({ text: '', signatures: [signature] }).slice(1);
    await evidence.keepCosignature(size, name, line);
  }
  const told = taken.map(({ key, atMs }) => ({ name: key.name, at: new Date(atMs).toISOString() }));
  return { size, witnesses: told };
}

function knownTo(witnesses: readonly VerifierKey[], { name, keyId }: NoteSignature): VerifierKey {
  const key = witnesses.find(
    (each) => each.name === name && each.keyId.every((byte, at) => byte === keyId[at]),
  );
  if (key !== undefined) return key;
  throw new AppError('FORBIDDEN', {
    message: 'This witness is not configured.',
    data: { received: name.slice(0, SHOWN_CHARS), allowed: witnesses.map((each) => each.name) },
  });
}

interface Brought {
  readonly key: VerifierKey;
  readonly signature: NoteSignature;
}

async function checkedAt(text: string, brought: Brought, parts: CosigningParts): Promise<number> {
  const { key, signature } = brought;
  const atS = await signedAt({ text, signatures: [signature] }, key, parts.verify);
  if (atS === undefined) {
    throw new AppError('COSIGNATURE_FORGED', { data: { received: key.name } });
  }
  const atMs = atS * SECOND_MS;
  if (atMs <= parts.now + AHEAD_MAX_MS) return atMs;
  throw new AppError('INPUT_INVALID', {
    message: 'The time of the cosignature is too far in the future.',
    data: { received: atS, allowed: Math.floor((parts.now + AHEAD_MAX_MS) / SECOND_MS) },
  });
}
