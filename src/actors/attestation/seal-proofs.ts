import type { NewProof } from '../../domain/proof/proof-log.ts';
import type { SealContext, SealUse } from '../../machines/attestation/seal.ts';

const KIND = 30016;

/** The proof that a seal was issued. The same seal gives the same, however often it is asked. */
export function issuedProof(seal: SealContext): NewProof {
  const { paymentId, issuedAt } = seal;
  return proofOf(seal, 'issued', { payment_id: paymentId, at: instant(issuedAt) });
}

/** The proof of the one use; `undefined` until then. */
export function redeemedProof(seal: SealContext): NewProof | undefined {
  const { redemption } = seal;
  return redemption === null ? undefined : proofOf(seal, 'redeemed', facts(redemption));
}

/** The proofs of the first refused uses. */
export function refusedProofs(seal: SealContext): readonly NewProof[] {
  return seal.refusals.map((refusal, at) =>
    proofOf(seal, `refused:${at}`, { ...facts(refusal), reason: refusal.reason }),
  );
}

/** Everything that a seal proves as it stands. */
export function sealProofs(seal: SealContext): readonly NewProof[] {
  const redeemed = redeemedProof(seal);
  return [issuedProof(seal), ...(redeemed === undefined ? [] : [redeemed]), ...refusedProofs(seal)];
}

function proofOf(seal: SealContext, event: string, more: Readonly<Record<string, string>>) {
  const { sealId, deliverableSha256, agent, agentId, wallet, payer } = seal;
  const proof: NewProof = {
    kind: KIND,
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

/** Whether the agent itself asked for the seal; otherwise the payer named it. */
export function isConfirmed({
  agent,
  wallet,
  payer,
}: Pick<SealContext, 'agent' | 'wallet' | 'payer'>): boolean {
  return payer !== undefined && payer === (wallet ?? agent).toLowerCase();
}

function facts({ paymentId, deliverableSha256, at }: SealUse) {
  return { payment_id: paymentId, deliverable_sha256: deliverableSha256, at: instant(at) };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
