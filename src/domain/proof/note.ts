import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64, toBase64 } from './base64.ts';

/**
 * A signed note as in C2SP `signed-note`: a text that ends with a newline, an empty line, and one
 * line per signature. The dash of a signature line is U+2014.
 */
export interface SignedNote {
  /** The signed text. Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature line. */
export interface NoteSignature {
  /** Name of the key, without spaces and `+`. */
  readonly name: string;
  /** 4 bytes that distinguish keys of one name. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** A key that verifies notes. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: Uint8Array;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly algorithm: NoteAlgorithm;
}

/** Verifies an Ed25519 signature. Node and browsers provide their own. */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** What a key signs: the text, or the text with the time at which a witness saw it. */
export type NoteAlgorithm = 'ed25519' | 'cosignature';

/** Maximum number of signatures read from one note. */
export const NOTE_SIGNATURES_MAX = 64;

/** Formats a note. */
export function formatNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(
    ({ name, keyId, signature }) => `— ${name} ${toBase64(concatBytes(keyId, signature))}\n`,
  );
  return `${text}\n${lines.join('')}`;
}

/** Parses a note; `undefined` if it is invalid. */
export function parseNote(source: string): SignedNote | undefined {
  const end = source.lastIndexOf('\n\n');
  if (end < 0 || !source.endsWith('\n')) return undefined;
  const lines = source.slice(end + 2, -1).split('\n');
  if (lines.length > NOTE_SIGNATURES_MAX) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = parseSignature(line);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { text: source.slice(0, end + 1), signatures };
}

/** Derives a key id: the first 4 bytes of SHA-256 over name, newline, algorithm and key. */
export function deriveKeyId(
  name: string,
  algorithm: NoteAlgorithm,
  publicKey: Uint8Array,
): Uint8Array {
  const head = concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(ALGORITHMS[algorithm]));
  return sha256(concatBytes(head, publicKey)).slice(0, KEY_ID_BYTES);
}

/** Formats a key as `name+id+key`, the form in which logs publish keys. */
export function formatVerifierKey({ name, keyId, publicKey, algorithm }: VerifierKey): string {
  const key = concatBytes(Uint8Array.of(ALGORITHMS[algorithm]), publicKey);
  return `${name}+${bytesToHex(keyId)}+${toBase64(key)}`;
}

/** Parses a key; `undefined` if it is malformed, has an unknown algorithm or a wrong id. */
export function parseVerifierKey(keyText: string): VerifierKey | undefined {
  const [, name, id, key] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(keyText) ?? [];
  const bytes = key === undefined ? undefined : fromBase64(key);
  if (name === undefined || bytes?.length !== 1 + KEY_BYTES) return undefined;
  const algorithm = ALGORITHM_NAMES.find((each) => ALGORITHMS[each] === bytes[0]);
  if (algorithm === undefined) return undefined;
  const publicKey = bytes.slice(1);
  const keyId = deriveKeyId(name, algorithm, publicKey);
  return bytesToHex(keyId) === id ? { name, keyId, publicKey, algorithm } : undefined;
}

/**
 * Returns when a key signed a note, in seconds, or `undefined` if it did not. Only cosignatures
 * have a time; for other signatures it is 0.
 */
export async function findSignedAt(
  note: SignedNote,
  key: VerifierKey,
  verify: VerifyEd25519,
): Promise<number | undefined> {
  const id = bytesToHex(key.keyId);
  for (const { name, keyId, signature } of note.signatures) {
    if (name !== key.name || bytesToHex(keyId) !== id) continue;
    const { at, message, proof } = splitSignature(note.text, key.algorithm, signature);
    if (proof.length === SIGNATURE_BYTES && (await verify(key.publicKey, message, proof))) {
      return at;
    }
  }
  return undefined;
}

/** Returns the text that a witness signs: the time in seconds and the text of the note. */
export function buildCosignedText(text: string, atS: number): Uint8Array {
  return utf8ToBytes(`cosignature/v1\ntime ${atS}\n${text}`);
}

/** Encodes a cosignature: the time in 8 bytes, then the signature. */
export function encodeCosignature(atS: number, signature: Uint8Array): Uint8Array {
  const time = new DataView(new ArrayBuffer(TIME_BYTES));
  time.setBigUint64(0, BigInt(atS));
  return concatBytes(new Uint8Array(time.buffer), signature);
}

const ALGORITHMS: Readonly<Record<NoteAlgorithm, number>> = { ed25519: 1, cosignature: 4 };
const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as readonly NoteAlgorithm[];
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;

function splitSignature(text: string, algorithm: NoteAlgorithm, signature: Uint8Array) {
  if (algorithm === 'ed25519') return { at: 0, message: utf8ToBytes(text), proof: signature };
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) {
    return { at: 0, message: new Uint8Array(), proof: new Uint8Array() };
  }
  const at = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return { at, message: buildCosignedText(text, at), proof: signature.slice(TIME_BYTES) };
}

function parseSignature(line: string): NoteSignature | undefined {
  const [, name, written] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? [];
  const bytes = written === undefined ? undefined : fromBase64(written);
  if (name === undefined || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) };
}
