import type { AuditReport } from '../audit/report.ts';
import type { PassportView } from '../passport/passport.ts';

/** An item of evidence after checking: its facts, or why it is invalid. */
export type CheckedEvidence =
  | { readonly kind: 'audit'; readonly report: AuditReport; readonly signer: string }
  | {
      readonly kind: 'manifest';
      readonly audit: string;
      /** Names of definitions that are stated but served differently, or served but not stated. */
      readonly differing: readonly string[];
    }
  | { readonly kind: 'passport'; readonly passport: PassportView }
  | { readonly kind: 'proof'; readonly proofKind: number; readonly ref: string }
  | { readonly kind: 'badge'; readonly badge: string; readonly earned: string }
  | {
      readonly kind: 'process';
      readonly name: string;
      readonly isWhole: boolean;
    }
  | { readonly kind: 'invalid'; readonly reason: string };

/** What an item of evidence shows for one requirement. */
export interface EvidenceWeight {
  readonly says: 'met' | 'partly' | 'unmet' | 'nothing';
  readonly reason: string;
}

/** Creates the result for evidence that is irrelevant to a requirement. */
export function irrelevant(reason: string): EvidenceWeight {
  return { says: 'nothing', reason };
}
