import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import {
  buildStatementTypedData,
  StatementFile,
  type StatementVerdict,
  verifyStatement,
} from '../../domain/verification/statement.ts';

/** The address that signs statements on this server (lower case), and its chain. */
export interface Issuer {
  readonly signer: string;
  readonly chainId: number;
}

/** Returns the issuer of this server. It signs a throwaway statement, which it does not publish. */
export function getIssuer(chain: Pick<TrustChain, 'signStatement'>, clock: Clock): Issuer {
  const asked = { kind: 'issuer', payload: {}, issuedAt: clock.now() };
  const { signer, chain_id: chainId } = chain.signStatement(asked).signature;
  return { signer: signer.toLowerCase(), chainId };
}

/** Verifies a signed statement and its payload; the signer can be a key or a wallet contract. */
export async function verifySignedFile(
  chain: Pick<TrustChain, 'isSignedBy'>,
  value: unknown,
): Promise<StatementVerdict> {
  const parsed = StatementFile.safeParse(value);
  if (!parsed.success) return verifyStatement(value, { recover: () => undefined });
  const { kind, issued_at, payload_hash, signature } = parsed.data.statement;
  const facts = { kind, issued_at, payload_hash, chain_id: signature.chain_id };
  const data = buildStatementTypedData(facts);
  const isSigned = await chain.isSignedBy(signature.signer, data, signature.value);
  return verifyStatement(value, { recover: () => (isSigned ? signature.signer : undefined) });
}
