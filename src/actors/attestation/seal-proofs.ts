import { toIsoTime } from '../../domain/common/time.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import type { SealContext, SealUse } from '../../machines/attestation/seal.ts';

const SEAL_PROOF_KIND = 30016;

/** Returns the proof that a seal was issued. The same seal always gives the same proof. */
export function createIssuedProof(seal: SealContext): NewProof {
  const { paymentId, issuedAt } = seal;
  return createProof(seal, 'issued', { payment_id: paymentId, at: toIsoTime(issuedAt) });
}

/** Returns the proof of redemption; `undefined` before it. */
export function createRedeemedProof(seal: SealContext): NewProof | undefined {
  const { redemption } = seal;
  return redemption === null ? undefined : createProof(seal, 'redeemed', useFields(redemption));
}

/** Returns the proofs of the recorded rejected uses. */
export function createRefusedProofs(seal: SealContext): readonly NewProof[] {
  return seal.refusals.map((refusal, at) =>
    createProof(seal, `refused:${at}`, { ...useFields(refusal), reason: refusal.reason }),
  );
}

/** Returns all proofs of a seal in its current state. */
export function projectSealProofs(seal: SealContext): readonly NewProof[] {
  const redeemed = createRedeemedProof(seal);
  return [
    createIssuedProof(seal),
    ...(redeemed === undefined ? [] : [redeemed]),
    ...createRefusedProofs(seal),
  ];
}

function createProof(seal: SealContext, event: string, more: Readonly<Record<string, string>>) {
  const { sealId, deliverableSha256, agent, agentId, wallet, payer } = seal;
  const proof: NewProof = {
    kind: SEAL_PROOF_KIND,
    key: `${sealId}:${event}`,
    ref: sealId,
    subject: wallet ?? agent,
    payload: {
      event: `seal_${event.replace(/:.*/, '')}`,
      seal_id: sealId,
      sealed_sha256: deliverableSha256,
      agent,
      agent_id: agentId,
      ...(payer === undefined ? {} : { payer, is_confirmed: isConfirmed(seal) }),
      ...more,
    },
  };
  return proof;
}

/** Returns whether the agent itself bought the seal; otherwise the payer only named it. */
export function isConfirmed({
  agent,
  wallet,
  payer,
}: Pick<SealContext, 'agent' | 'wallet' | 'payer'>): boolean {
  return payer !== undefined && payer === (wallet ?? agent).toLowerCase();
}

function useFields({ paymentId, deliverableSha256, at }: SealUse) {
  return { payment_id: paymentId, deliverable_sha256: deliverableSha256, at: toIsoTime(at) };
}
