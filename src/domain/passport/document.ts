import type { SignedStatement } from '../chain/trust-chain.ts';
import { hashJson } from '../common/hash.ts';
import type { JsonObject } from '../common/json.ts';
import type { PassportView } from './passport.ts';

/** What the settled jobs of a wallet say. */
export interface PassportReputation {
  readonly score: number;
  readonly badge: string;
  readonly settled_jobs: number;
  readonly disputes: number;
  readonly source: 'settled_jobs';
}

/** What the log of proofs has about a passport. */
export interface PassportProofs {
  readonly count: number;
  readonly by_kind: Readonly<Record<string, number>>;
  /** The newest signed checkpoint of the log; `null` before the first. */
  readonly checkpoint: string | null;
}

/** What the parts of a passport's document are. */
export interface PassportParts {
  readonly view: PassportView;
  readonly registration: JsonObject;
  readonly reputation: PassportReputation;
  readonly proofs: PassportProofs;
}

/** The members that the hash and the signature are over. */
export type PassportBody = PassportView & Omit<PassportParts, 'view'> & { readonly v: 1 };

/** A passport as it is read: its facts, their hash, the service's signature and how to check. */
export type PassportDocument = PassportBody & {
  readonly passport_hash: string;
  readonly signature: SignedStatement;
  readonly verify: { readonly steps: readonly string[] };
};

/** Kind of the statement that signs a passport. */
export const PASSPORT_STATEMENT = 'passport';

/** The part of a passport's document that is hashed and signed. */
export function passportBody({ view, ...parts }: PassportParts): PassportBody {
  return { v: 1, ...view, ...parts };
}

/** Adds what makes the body verifiable by itself. */
export function passportDocument(body: PassportBody, signature: SignedStatement): PassportDocument {
  const [namespace, chain, registry] = body.erc8004.agent_registry.split(':');
  return {
    ...body,
    passport_hash: hashJson(body),
    signature,
    verify: {
      steps: [
        'Take passport_hash, signature and verify out, write the rest as canonical JSON, RFC 8785' +
          ', and hash it with SHA-256: that is passport_hash and signature.payload_hash.',
        'Recover the signer of signature.signature.value as docs/passports.md shows: it is the ' +
          "service's treasury.",
        `On ${namespace}:${chain}, ask ${registry} for ownerOf(${body.erc8004.id}) and ` +
          `getAgentWallet(${body.erc8004.id}): they are owner and wallet.`,
        'Check its proofs with stoa verify: they prove what was recorded, not that it is true.',
      ],
    },
  };
}
