import type { SignedPart } from '../wallet/wallet-request.ts';
import type { AuditPlanName } from './plans.ts';
import type { TargetAddress } from './records.ts';
import { AUDITS_PATH } from './state.ts';

/** The scope that the wallet of a passport consents to. */
export interface PassportScope {
  readonly target: TargetAddress;
  readonly plan: AuditPlanName;
  readonly probeSetVersion: number;
  /** Whether tools that may write are called. */
  readonly allowWrites: boolean;
}

/**
 * Creates the request that the wallet of a passport signs for its consent. The request is never
 * sent; its `stoa-wallet` header is passed as `consent.stoa_wallet` of the order.
 */
export function createPassportConsentRequest(
  scope: PassportScope,
): SignedPart & { readonly text: string } {
  const { target, plan, probeSetVersion, allowWrites } = scope;
  const address = target.kind === 'mcp_stdio' ? target.name : target.url;
  const text = JSON.stringify({
    consent: {
      target: address,
      kind: target.kind,
      plan,
      probe_set_version: probeSetVersion,
      allow_writes: allowWrites,
    },
  });
  return { method: 'POST', path: AUDITS_PATH, body: new TextEncoder().encode(text), text };
}
