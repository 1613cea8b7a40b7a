import { createHmac } from 'node:crypto';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { AttestationDeps } from '../../tools/service/commerce-tools.ts';
import { openToken } from '../server/token-file.ts';

/** The dependencies of attestations. */
export interface AttestationSources {
  readonly dataDir: string;
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly proofs: ProofLog;
  readonly trust: TrustChain;
  readonly chainId: number;
  readonly clock: Clock;
  readonly passports: Passports;
  readonly delegations: Delegations;
}

/**
 * Builds the dependencies of the attestation tools. The capability of a seal is derived from the
 * operator token. Only its hash is stored.
 */
export function attestationDeps(parts: AttestationSources): AttestationDeps {
  const { dataDir, engine, blobs, proofs, trust, chainId, clock, passports, delegations } = parts;
  const key = openToken(dataDir).keyFor('stoa seal capability v1');
  const capabilityOf = (sealId: string): string =>
    `cap_${createHmac('sha256', key).update(sealId).digest('hex')}`;
  const seals = { engine, proofs, clock, capabilityOf };
  return { trust, chainId, clock, passports, delegations, seals, blobs };
}
