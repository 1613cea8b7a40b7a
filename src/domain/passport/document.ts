import type { SignedStatement } from '../chain/trust-chain.ts';
import { hashJson } from '../common/hash.ts';
import type { JsonObject } from '../common/json.ts';
import type { PassportView } from './passport.ts';

/** Reputation of a wallet from its settled jobs. */
export interface PassportReputation {
  readonly score: number;
  readonly badge: string;
  readonly settled_jobs: number;
  readonly disputes: number;
  readonly source: 'settled_jobs';
}

/** Proofs of a passport in the log. */
export interface PassportProofs {
  readonly count: number;
  readonly by_kind: Readonly<Record<string, number>>;
  /** The latest signed checkpoint of the log; `null` before the first. */
  readonly checkpoint: string | null;
}

/** Parts of a passport document. */
export interface PassportParts {
  readonly view: PassportView;
  readonly registration: JsonObject;
  readonly reputation: PassportReputation;
  readonly proofs: PassportProofs;
}

/** The hashed and signed part of a passport document. */
export type PassportBody = PassportView & Omit<PassportParts, 'view'> & { readonly v: 1 };

/** A passport document: facts, hash, signature of the service and verification steps. */
export type PassportDocument = PassportBody & {
  readonly passport_hash: string;
  readonly signature: SignedStatement;
  readonly verify: { readonly steps: readonly string[] };
};

/** Statement kind of passport signatures. */
export const PASSPORT_STATEMENT = 'passport';

/** Builds the hashed and signed part of a passport document. */
export function buildPassportBody({ view, ...parts }: PassportParts): PassportBody {
  return { v: 1, ...view, ...parts };
}

/** Builds a self-verifiable passport document from its body. */
export function buildPassportDocument(
  body: PassportBody,
  signature: SignedStatement,
): PassportDocument {
  const [namespace, chain, registry] = body.erc8004.agent_registry.split(':');
  return {
    ...body,
    passport_hash: hashJson(body),
    signature,
    verify: {
      steps: [
        'Remove passport_hash, signature and verify. Write the rest as canonical JSON (RFC 8785) ' +
          'and hash it with SHA-256. It must equal passport_hash and signature.payload_hash.',
        'Recover the signer of signature.signature.value as in docs/passports.md. It must be the ' +
          "service's treasury.",
        `On ${namespace}:${chain}, call ${registry}: ownerOf(${body.erc8004.id}) and ` +
          `getAgentWallet(${body.erc8004.id}) must return owner and wallet.`,
        'Check its proofs with stoa verify. They prove what was recorded, not that it is true.',
      ],
    },
  };
}
