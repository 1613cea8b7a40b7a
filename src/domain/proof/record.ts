import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { sha256Hex } from '../common/hash.ts';
import { canonicalJson, type JsonObject } from '../common/json.ts';
import { isProofKind, PROOF_KINDS, type ProofKind } from './kinds.ts';
import { type Hash, leafHash } from './merkle.ts';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * One record of the log, as it is published. It says what happened by hashes alone: who and what
 * stand apart, each with a salt, and can be erased while the record and the tree stay as they are.
 */
export const ProofRecord = z
  .strictObject({
    v: z.literal(1),
    kind: z.int().refine(isProofKind, 'is one of the 15 kinds'),
    kind_name: z.string(),
    /** Place in the log, from 0. */
    seq: z.int().min(0),
    /** RFC 3339, in UTC. */
    at: z.iso.datetime(),
    /** What it is found by: a settlement, a job, a report. */
    ref: z.string().min(1).max(200),
    /** SHA-256 over the salt and the subject. */
    subject_hash: Digest,
    /** SHA-256 over the salt and the payload's canonical JSON. */
    payload_hash: Digest,
    /** Leaf hash of the record before; 64 zeros in the first. */
    prev_hash: Digest,
    /** HMAC-SHA256 over the canonical JSON of the record without this member. */
    hmac: z.strictObject({ kid: z.string().min(1).max(64), value: Digest }),
  })
  .refine(({ kind, kind_name }) => PROOF_KINDS[kind as ProofKind] === kind_name, {
    error: 'kind_name is the name of kind',
    path: ['kind_name'],
  });
/** See the schema. */
export type ProofRecord = z.infer<typeof ProofRecord>;

/** What stands apart from a record, and opens its hashes. */
export interface ProofPayload {
  /** 32 random bytes in hex. */
  readonly salt: string;
  readonly subject: string;
  readonly payload: JsonObject;
}

/** The bytes of a record: its canonical JSON. They are the leaf of the tree. */
export function recordBytes(record: ProofRecord): Uint8Array {
  return utf8ToBytes(canonicalJson(record));
}

/** The leaf hash of a record. */
export function recordHash(record: ProofRecord): Hash {
  return leafHash(recordBytes(record));
}

/** The leaf hash of a record that is written as canonical JSON already. */
export function textHash(text: string): Hash {
  return leafHash(utf8ToBytes(text));
}

/** What the HMAC of a record is over. */
export function macText(record: Omit<ProofRecord, 'hmac'>): string {
  const { v, kind, kind_name, seq, at, ref, subject_hash, payload_hash, prev_hash } = record;
  return canonicalJson({ v, kind, kind_name, seq, at, ref, subject_hash, payload_hash, prev_hash });
}

/** The hashes that stand for what is kept apart. */
export type PayloadHashes = Pick<ProofRecord, 'subject_hash' | 'payload_hash'>;

/** Makes the hashes that stand for what is kept apart. */
export function hashesOf(apart: ProofPayload): PayloadHashes {
  return sealPayload(apart).hashes;
}

/** Writes what is kept apart as canonical JSON, with the hashes that stand for it. */
export function sealPayload({ salt, subject, payload }: ProofPayload): {
  readonly text: string;
  readonly hashes: PayloadHashes;
} {
  // Nearly all of the text is the payload, which is written once for both.
  const body = canonicalJson(payload);
  return {
    text: `{"payload":${body},"salt":${JSON.stringify(salt)},"subject":${JSON.stringify(subject)}}`,
    hashes: {
      subject_hash: sha256Hex(`${salt}subject:${subject}`),
      payload_hash: sha256Hex(`${salt}payload:${body}`),
    },
  };
}
