import { canaryOf } from '../../domain/audit/canary.ts';
import type { Recon } from '../../domain/audit/recon.ts';
import type { TargetAddress } from '../../domain/audit/records.ts';
import type {
  AuditTarget,
  AuditTargets,
  OpenTarget,
  TargetLimits,
} from '../../domain/ports/audit-target.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { ProbeSession } from './probe.ts';

/** What one probe or one replay is given of the audit. */
export interface SessionPlan {
  readonly address: TargetAddress;
  readonly recon: Recon;
  readonly limits: TargetLimits;
  /** Canaries are drawn from it; the same in the whole audit, and after a restart. */
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly headers?: OpenTarget['headers'];
}

/** What sessions are opened with. */
export interface SessionParts {
  readonly targets: AuditTargets;
  readonly clock: Clock;
}

/**
 * Opens the target at the address that the recon was made at, works, and leaves nothing open,
 * whatever comes of it.
 *
 * @throws {AppError} what opening throws; and what `work` throws.
 */
export async function withProbeSession<T>(
  { targets, clock }: SessionParts,
  plan: SessionPlan,
  work: (session: ProbeSession) => Promise<T>,
): Promise<T> {
  const { address, recon, limits, seed, signal, headers } = plan;
  const target = await targets.open(address, {
    limits,
    canarySeed: seed,
    signal,
    ...(recon.pinnedAddress === null ? {} : { pinnedAddress: recon.pinnedAddress }),
    ...(headers === undefined ? {} : { headers }),
  });
  const listener = await targets.listen();
  try {
    return await work({
      target: target satisfies AuditTarget,
      recon,
      seed,
      canary: (label) => canaryOf(seed, label),
      clock,
      signal,
      ...(listener === undefined ? {} : { listener }),
    });
  } finally {
    await Promise.allSettled([target.close(), listener?.close()]);
  }
}
