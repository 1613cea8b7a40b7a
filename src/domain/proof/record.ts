import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { sha256Hex } from '../common/hash.ts';
import { canonicalJson, type JsonObject } from '../common/json.ts';
import { isProofKind, PROOF_KINDS, type ProofKind } from './kinds.ts';
import { type Hash, leafHash } from './merkle.ts';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * A published record of the log. It contains only salted hashes of subject and payload. These can
 * be erased while the record and the tree remain unchanged.
 */
export const ProofRecord = z
  .strictObject({
    v: z.literal(1),
    kind: z.int().refine(isProofKind, `is one of the ${Object.keys(PROOF_KINDS).length} kinds`),
    kind_name: z.string(),
    /** Position in the log, from 0. */
    seq: z.int().min(0),
    /** RFC 3339, in UTC. */
    at: z.iso.datetime(),
    /** Reference by which it is found, such as a settlement, a job or a report. */
    ref: z.string().min(1).max(200),
    /** SHA-256 over the salt and the subject. */
    subject_hash: Digest,
    /** SHA-256 over the salt and the payload's canonical JSON. */
    payload_hash: Digest,
    /** Leaf hash of the previous record; 64 zeros in the first. */
    prev_hash: Digest,
    /** HMAC-SHA256 over the canonical JSON of the record without this member. */
    hmac: z.strictObject({ kid: z.string().min(1).max(64), value: Digest }),
  })
  .refine(({ kind, kind_name }) => PROOF_KINDS[kind as ProofKind].name === kind_name, {
    error: 'kind_name is the name of kind',
    path: ['kind_name'],
  });
/** A published record of the log. */
export type ProofRecord = z.infer<typeof ProofRecord>;

/** The erasable part of a record, which opens its hashes. */
export interface ProofPayload {
  /** 32 random bytes in hex. */
  readonly salt: string;
  readonly subject: string;
  readonly payload: JsonObject;
}

/** Returns the bytes of a record, its canonical JSON. They are the leaf of the tree. */
export function encodeRecord(record: ProofRecord): Uint8Array {
  return utf8ToBytes(canonicalJson(record));
}

/** Returns the leaf hash of a record. */
export function hashRecord(record: ProofRecord): Hash {
  return leafHash(encodeRecord(record));
}

/** Returns the leaf hash of a record that is already canonical JSON. */
export function hashRecordText(text: string): Hash {
  return leafHash(utf8ToBytes(text));
}

/** Returns the text that the HMAC of a record covers. */
export function buildMacText(record: Omit<ProofRecord, 'hmac'>): string {
  const { v, kind, kind_name, seq, at, ref, subject_hash, payload_hash, prev_hash } = record;
  return canonicalJson({ v, kind, kind_name, seq, at, ref, subject_hash, payload_hash, prev_hash });
}

/** The hashes of the erasable part. */
export type PayloadHashes = Pick<ProofRecord, 'subject_hash' | 'payload_hash'>;

/** Serializes the erasable part as canonical JSON and computes its hashes. */
export function sealPayload({ salt, subject, payload }: ProofPayload): {
  readonly text: string;
  readonly hashes: PayloadHashes;
} {
  // The payload is nearly all of the text, so it is serialized once for both.
  const body = canonicalJson(payload);
  return {
    text: `{"payload":${body},"salt":${JSON.stringify(salt)},"subject":${JSON.stringify(subject)}}`,
    hashes: {
      subject_hash: sha256Hex(`${salt}subject:${subject}`),
      payload_hash: sha256Hex(`${salt}payload:${body}`),
    },
  };
}
