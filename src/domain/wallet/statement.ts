import type { SignedStatement } from '../ports/trust-chain.ts';
import type { TypedData } from './typed-data.ts';

/** The members of a statement that its signature covers. */
export type StatementTerms = Pick<SignedStatement, 'kind' | 'issued_at' | 'payload_hash'>;

/** Gives what the service signs for a statement (EIP-712), so that anyone can check it. */
export function statementData(statement: StatementTerms, chainId: number): TypedData {
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
    message: {
      kind: statement.kind,
      issuedAt: statement.issued_at,
      payloadHash: `0x${statement.payload_hash}`,
    },
  };
}
