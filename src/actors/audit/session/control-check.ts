import type { AuditTargets } from '../../../domain/audit/audit-target.ts';
import { isConsentValid } from '../../../domain/audit/consent.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ConsentInput, ConsentOutput } from '../../../machines/audit/audit-context.ts';
import { type ConsentClaim, checkConsent } from '../check-consent.ts';
import { type Opening, withTarget } from './with-target.ts';

/** Checks whether an audit may send what it plans to its target. */
export interface ControlCheck {
  /**
   * Checks the consent. Passive audits need none; active ones need the proof of control, verified
   * again each time.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN` if the origin does not answer, which is no refusal.
   */
  check(order: ConsentInput, signal: AbortSignal): Promise<ConsentOutput>;
}

const LIMITS = { requestsMax: 3, totalMs: 15 * SECOND_MS } as const;

/** Verifies proofs of control at the origin, at the address that the audit connects to. */
export function createControlCheck(parts: {
  readonly targets: AuditTargets;
  readonly clock: Clock;
}): ControlCheck {
  return {
    check: async (order, signal) => {
      const at = parts.clock.now();
      if (order.mode === 'passive') return consentWithoutProof('passive', at);
      if (order.target.kind === 'mcp_stdio') return consentWithoutProof('operator', at);
      const tally = { requests: 0 };
      try {
        const answer = await checkAtOrigin(parts, order, { limits: LIMITS, signal, tally });
        return { ...answer, ...tally };
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.code !== 'AUDIT_UNPROVEN') throw thrown;
        return { state: 'refused', reason: errorMessage(thrown), at: parts.clock.now(), ...tally };
      }
    },
  };
}

function consentWithoutProof(kind: 'passive' | 'operator', at: number): ConsentOutput {
  return { state: 'given', record: { kind, ref: null, provenAt: at, expiresAt: null }, at };
}

async function checkAtOrigin(
  { targets, clock }: { readonly targets: AuditTargets; readonly clock: Clock },
  order: ConsentInput,
  opening: Opening,
): Promise<ConsentOutput> {
  const given = { ...order, seed: order.auditId };
  const proof = await withTarget(targets, given, opening, (target) =>
    checkConsent(target, claimOf(order), clock),
  );
  const now = clock.now();
  const question = {
    origin: order.origin,
    connectedAddress: order.pinnedAddress,
    probeSetVersion: order.probeSetVersion,
    now,
  };
  if (!isConsentValid(proof, question)) {
    const reason = 'The proof is for another origin, address, or probe set.';
    return { state: 'refused', reason, at: now };
  }
  const { kind, subject: ref, provenAt, expiresAt } = proof;
  return { state: 'given', record: { kind, ref, provenAt, expiresAt }, at: now };
}

function claimOf({ consent: { nonce = '', passport } }: ConsentInput): ConsentClaim {
  return passport === undefined ? { kind: 'nonce', nonce } : { kind: 'passport', passport };
}

/** Returns what was expected and where, but never what was found. */
function errorMessage({ message, data }: AppError): string {
  const place = typeof data['place'] === 'string' ? ` (${data['place']})` : '';
  return `${message}${place}`;
}
