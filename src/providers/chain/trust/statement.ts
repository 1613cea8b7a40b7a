import type { NewStatement, SignedStatement } from '../../../domain/chain/trust-chain.ts';
import { hashJson } from '../../../domain/common/hash.ts';
import { buildStatementData } from '../../../domain/wallet/statement.ts';
import type { DigestSigner } from '../signature.ts';
import { typedDigest } from './typed-digest.ts';

/** Creates the function that signs statements of the service with a key. */
export function createStatementSigner(
  signer: DigestSigner,
  chainId: number,
): (statement: NewStatement) => SignedStatement {
  return ({ kind, payload, issuedAt }) => {
    const terms = {
      kind,
      issued_at: new Date(issuedAt).toISOString(),
      payload_hash: hashJson(payload),
    };
    const value = signer.sign(typedDigest(buildStatementData(terms, chainId)));
    const signature = { alg: 'eip712', signer: signer.address, chain_id: chainId, value } as const;
    return { ...terms, signature };
  };
}
