import type { SignedStatement } from '../chain/trust-chain.ts';
import { statementTypedData } from '../verification/statement.ts';
import type { TypedData } from './typed-data.ts';

/** The members of a statement that its signature covers. */
export type StatementTerms = Pick<SignedStatement, 'kind' | 'issued_at' | 'payload_hash'>;

/** Gives what the service signs for a statement (EIP-712), so that anyone can check it. */
export function statementData(statement: StatementTerms, chainId: number): TypedData {
  return statementTypedData({ ...statement, chain_id: chainId });
}
