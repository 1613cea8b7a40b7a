import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { hashJson } from '../common/hash.ts';
import type { JsonObject } from '../common/json.ts';
import type { TypedData } from '../wallet/typed-data.ts';
import { invalidVerdict } from './invalid-verdict.ts';

const Statement = z.object({
  kind: z.string().min(1).max(100),
  issued_at: z.iso.datetime(),
  payload_hash: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.object({
    alg: z.literal('eip712'),
    signer: z.string().regex(/^0x[0-9a-f]{40}$/),
    chain_id: z.int().min(1),
    value: z.string().regex(/^0x[0-9a-f]{130}$/),
  }),
});

/** A signed statement with its payload, as in tool results; other members are ignored. */
export const StatementFile = z.looseObject({
  payload: z.record(z.string(), z.json()),
  statement: Statement,
});

/** The signed fields of a statement. */
export interface StatementFacts {
  readonly kind: string;
  /** SHA-256 of the payload's canonical JSON, in hex. */
  readonly payload_hash: string;
  /** RFC 3339, signed exactly as written. */
  readonly issued_at: string;
  readonly chain_id: number;
}

/** Verdict on a statement. */
export type StatementVerdict =
  | {
      readonly isValid: true;
      readonly kind: string;
      readonly issuedAt: string;
      readonly signer: string;
      readonly chainId: number;
      readonly payload: JsonObject;
    }
  | { readonly isValid: false; readonly reason: string };

/** Input of a statement verification. */
export interface StatementCheck {
  /** Recovers the lower-case signer address of a digest; `undefined` for an invalid signature. */
  recover(digest: Uint8Array, signature: string): string | undefined;
  /** The expected signer. If absent, the signer named in the statement is trusted. */
  readonly signer?: string;
}

/** Checks whether a value has the form of a statement with its payload. */
export function isStatementFile(value: unknown): boolean {
  return StatementFile.safeParse(value).success;
}

/**
 * Verifies a statement offline: that the payload matches the signed hash, and the signature. It
 * proves what the signer stated, not that it is true.
 */
export function verifyStatement(value: unknown, check: StatementCheck): StatementVerdict {
  const parsed = StatementFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalidVerdict(`it is not a statement: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const { payload, statement } = parsed.data;
  const { kind, issued_at, payload_hash, signature } = statement;
  if (hashJson(payload) !== payload_hash) return invalidVerdict('the hash of the payload differs');
  const digest = computeStatementDigest({
    kind,
    payload_hash,
    issued_at,
    chain_id: signature.chain_id,
  });
  const signer = check.recover(digest, signature.value);
  if (signer === undefined || signer !== signature.signer) {
    return invalidVerdict(`it is not signed by ${signature.signer}`);
  }
  if (check.signer !== undefined && signer !== check.signer.toLowerCase()) {
    return invalidVerdict(`it is signed by ${signer}, not by ${check.signer.toLowerCase()}`);
  }
  const { chain_id: chainId } = signature;
  return {
    isValid: true,
    kind,
    issuedAt: issued_at,
    signer,
    chainId,
    payload: payload as JsonObject,
  };
}

/**
 * Returns the typed data of a statement for wallets. Its digest is {@link computeStatementDigest}.
 */
export function buildStatementTypedData(facts: StatementFacts): TypedData {
  const { kind, payload_hash, issued_at, chain_id: chainId } = facts;
  return {
    domain: { name: 'Stoa statement', version: '1', chainId },
    types: {
      Statement: [
        { name: 'kind', type: 'string' },
        { name: 'issuedAt', type: 'string' },
        { name: 'payloadHash', type: 'bytes32' },
      ],
    },
    primaryType: 'Statement',
    message: { kind, issuedAt: issued_at, payloadHash: `0x${payload_hash}` },
  };
}

/** Returns the EIP-712 digest of a statement, 32 bytes. */
export function computeStatementDigest(facts: StatementFacts): Uint8Array {
  const domain = keccak_256(
    concatBytes(DOMAIN_TYPE, hashText('Stoa statement'), hashText('1'), encodeWord(facts.chain_id)),
  );
  const { kind, issued_at, payload_hash } = facts;
  const struct = keccak_256(
    concatBytes(STATEMENT_TYPE, hashText(kind), hashText(issued_at), hexToBytes(payload_hash)),
  );
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct));
}

const WORD_BYTES = 32;
const DOMAIN_TYPE = hashText('EIP712Domain(string name,string version,uint256 chainId)');
const STATEMENT_TYPE = hashText('Statement(string kind,string issuedAt,bytes32 payloadHash)');

function hashText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}

function encodeWord(count: number): Uint8Array {
  return hexToBytes(count.toString(16).padStart(2 * WORD_BYTES, '0'));
}
