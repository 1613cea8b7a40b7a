import type { AuditReport } from '../audit/report.ts';
import type { PassportView } from '../passport/passport.ts';

/** What a piece of evidence is, once it was checked: facts, or why it is none. */
export type CheckedEvidence =
  | { readonly kind: 'audit'; readonly report: AuditReport; readonly signer: string }
  | {
      readonly kind: 'manifest';
      readonly audit: string;
      /** Names that are not served so, and names that are served and not stated. */
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

/** What a piece of evidence says of one requirement. */
export interface Weighed {
  readonly says: 'met' | 'partly' | 'unmet' | 'nothing';
  readonly reason: string;
}

/** Evidence that says nothing of a requirement. */
export function nothing(reason: string): Weighed {
  return { says: 'nothing', reason };
}
