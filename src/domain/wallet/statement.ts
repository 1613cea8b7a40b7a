import type { SignedStatement } from '../chain/trust-chain.ts';
import { buildStatementTypedData } from '../verification/statement.ts';
import type { TypedData } from './typed-data.ts';

/** The signed fields of a statement. */
export type StatementTerms = Pick<SignedStatement, 'kind' | 'issued_at' | 'payload_hash'>;

/** Returns the EIP-712 data that the service signs for a statement. */
export function buildStatementData(statement: StatementTerms, chainId: number): TypedData {
  return buildStatementTypedData({ ...statement, chain_id: chainId });
}
