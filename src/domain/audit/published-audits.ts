import type { SignedStatement } from '../chain/trust-chain.ts';
import type { AnchorClaim } from '../verification/anchor.ts';
import type { AuditPlanName } from './plans.ts';
import type { AuditReport, ConfirmedBySeverity } from './report.ts';

/** An audit in a listing. */
export interface ListedAudit {
  readonly audit_id: string;
  readonly plan: AuditPlanName;
  readonly target: string;
  readonly mode: 'passive' | 'active';
  readonly status: 'working' | 'published';
  /** `null` while it goes on. */
  readonly outcome: string | null;
  readonly ended_at: string | null;
  readonly confirmed: ConfirmedBySeverity | null;
  readonly report: string;
}

/** Where a report stands in the log of proofs and on the chain, now. */
export interface ReportStanding {
  /** Its name in the log: the audit's own. */
  readonly ref: string;
  readonly records: string;
  /** `null` until the log has it. */
  readonly seq: number | null;
  readonly anchor_status: 'anchored' | 'pending' | 'not_configured';
  readonly anchor_reason: string | null;
  readonly anchor: Omit<AnchorClaim, 'consistency'> | null;
}

/** A signed report as anyone reads it. */
export interface PublishedAudit {
  readonly payload: AuditReport;
  readonly statement: SignedStatement;
  readonly proof: ReportStanding;
}

/** What a stop came to. */
export type StopStatus = 'stopping' | 'reporting' | 'ended';

/** The public side of audits. */
export interface PublishedAudits {
  /**
   * The newest first. With an origin also those of it that go on.
   */
  list(o: {
    readonly cursor?: string;
    readonly limit: number;
    readonly origin?: string;
  }): Promise<{ readonly rows: readonly ListedAudit[]; readonly cursor: string | null }>;
  /** @throws {AppError} `AUDIT_UNKNOWN` */
  read(auditId: string): Promise<PublishedAudit>;
  /**
   * Ends an audit for the owner of its target: who holds the secret nonce of its consent, or lets
   * the origin say so. Safe to repeat; it withdraws nothing that was confirmed.
   * `reporting`: it was over for another reason, and its report is being written.
   *
   * @throws {AppError} `AUDIT_UNKNOWN`; `AUDIT_UNPROVEN` saying how it is shown
   */
  stop(
    auditId: string,
    proof: { readonly nonce?: string | undefined },
  ): Promise<{ readonly audit_id: string; readonly status: StopStatus }>;
}
