import { createHmac } from 'node:crypto';
import type { AttestationServices } from '../../tools/service/commerce-tools.ts';
import type { ServerServices } from '../server/services.ts';

/**
 * Builds the dependencies of the attestation tools. The capability of a seal is derived from the
 * operator token. Only its hash is stored.
 */
export function attestationDeps(
  services: Pick<
    ServerServices,
    | 'blobs'
    | 'chain'
    | 'clock'
    | 'delegations'
    | 'engine'
    | 'passports'
    | 'proofs'
    | 'token'
    | 'trust'
  >,
): AttestationServices {
  const key = services.token.keyFor('stoa seal capability v1');
  const capabilityOf = (sealId: string): string =>
    `cap_${createHmac('sha256', key).update(sealId).digest('hex')}`;
  return { ...services, seals: { ...services, capabilityOf } };
}
