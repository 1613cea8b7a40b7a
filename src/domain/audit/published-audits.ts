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
  /** `null` while the audit is running. */
  readonly outcome: string | null;
  readonly ended_at: string | null;
  readonly confirmed: ConfirmedBySeverity | null;
  readonly report: string;
}

/** Current state of a report in the proof log and on the chain. */
export interface ReportProofState {
  /** Reference in the log: the audit id. */
  readonly ref: string;
  readonly records: string;
  /** `null` until the report is in the log. */
  readonly seq: number | null;
  readonly anchor_status: 'anchored' | 'pending' | 'not_configured';
  readonly anchor_reason: string | null;
  readonly anchor: Omit<AnchorClaim, 'consistency'> | null;
}

/** A signed report as returned to any reader. */
export interface PublishedAudit {
  readonly payload: AuditReport;
  readonly statement: SignedStatement;
  readonly proof: ReportProofState;
}

/** Result of a stop request. */
export type StopStatus = 'stopping' | 'reporting' | 'ended';

/** Public operations on audits. */
export interface PublishedAudits {
  /** Lists audits, newest first. With an origin, also includes its running audits. */
  list(o: {
    readonly cursor?: string;
    readonly limit: number;
    readonly origin?: string;
  }): Promise<{ readonly rows: readonly ListedAudit[]; readonly cursor: string | null }>;
  /** @throws {AppError} `AUDIT_UNKNOWN` */
  read(auditId: string): Promise<PublishedAudit>;
  /**
   * Stops an audit on behalf of the target's owner, who presents the consent nonce or serves a
   * confirmation at the origin. Idempotent. Confirmed findings remain.
   *
   * `reporting`: the audit has already ended and its report is being written.
   *
   * @throws {AppError} `AUDIT_UNKNOWN`; `AUDIT_UNPROVEN` with instructions for the proof.
   */
  stop(
    auditId: string,
    proof: { readonly nonce?: string | undefined },
  ): Promise<{ readonly audit_id: string; readonly status: StopStatus }>;
}
