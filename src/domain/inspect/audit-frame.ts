import type { ConsentRecord } from '../audit/order.ts';
import type { AuditPlanName } from '../audit/plans.ts';
import type { AsiCategory, Finding, ProbeMode, ProbeRun, Severity } from '../audit/records.ts';
import type { ConfirmedBySeverity } from '../audit/report.ts';

/**
 * The current state of an audit. Times are milliseconds since 1970, amounts are micro-dollars as
 * text.
 */
export interface AuditFrame {
  readonly topic: 'audit';
  readonly id: string;
  readonly status: string;
  /** Public id of the audit, used in the address of its report. */
  readonly auditId: string;
  readonly plan: AuditPlanName;
  /** Display name of the plan. */
  readonly title: string;
  readonly target: string;
  readonly origin: string;
  readonly pinnedAddress: string | null;
  readonly mode: ProbeMode;
  readonly createdAt: number;
  readonly at: number;
  /** `null` before reconnaissance and after the end. */
  readonly deadlineAt: number | null;
  readonly phase: string;
  readonly phases: readonly string[];
  /** Proof of control over the target; `null` before it is checked. */
  readonly consent: ConsentRecord | null;
  readonly recon: AuditRecon | null;
  readonly running: AuditRunning | null;
  readonly seats: readonly AuditSeatLine[];
  readonly categories: readonly AuditCategory[];
  readonly probes: readonly AuditProbe[];
  readonly findings: readonly AuditFinding[];
  readonly requests: number;
  readonly requestsMax: number;
  readonly priceMicroUsd: string;
  /** Final outcome; `null` while the audit runs. */
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly report: AuditReportLine | null;
}

/** Result of the reconnaissance. */
export interface AuditRecon {
  readonly tools: number;
  readonly access: 'open' | 'refused';
  /** Checks between two seats that found the target unchanged, and those that found it changed. */
  readonly looks: number;
  readonly changes: number;
}

/** The current activity. */
export interface AuditRunning {
  readonly what: 'probe' | 'replay' | 'look';
  readonly seat: string;
  /** Absent for a reconnaissance check. */
  readonly probeId: string | null;
}

/** A seat and its progress. */
export interface AuditSeatLine {
  readonly seat: string;
  readonly role: string;
  readonly state: 'waiting' | 'working' | 'done';
  readonly probesDone: number;
  readonly probes: number;
}

/** One of the ten categories. */
export interface AuditCategory {
  readonly category: AsiCategory;
  readonly name: string;
  /** `null` until the report is written. */
  readonly verdict: 'pass' | 'fail' | 'partial' | 'not_assessed' | null;
  /** Probes that ran, probes that were skipped or failed to run, and all planned probes. */
  readonly looked: number;
  readonly unlooked: number;
  readonly probes: number;
  readonly findings: number;
}

/** One probe. */
export interface AuditProbe {
  readonly probeId: string;
  readonly category: AsiCategory;
  readonly mode: ProbeMode;
  readonly outcome: ProbeRun['outcome'] | 'planned' | 'running' | 'left_out';
  readonly requests: number;
  readonly reason: string | null;
}

/** A finding without its evidence, which is in the report. */
export interface AuditFinding {
  readonly findingId: string;
  readonly category: AsiCategory;
  readonly probeId: string;
  readonly severity: Severity;
  readonly status: Finding['status'];
  /** `null` if the text is no longer stored. */
  readonly title: string | null;
  readonly tool: string | null;
  readonly remediation: string | null;
  /** State of the replay by another seat. */
  readonly replay: 'not_needed' | 'waiting' | 'running' | 'seen' | 'not_seen' | 'not_done';
  /** The seat that reproduced the finding. */
  readonly replayedBy: string | null;
}

/** The report, once it is written. */
export interface AuditReportLine {
  readonly root: string;
  readonly confirmed: ConfirmedBySeverity;
  /** Public path of the report; `null` before it is signed. */
  readonly path: string | null;
  readonly signer: string | null;
  readonly anchor: { readonly status: string; readonly reason: string | null } | null;
}
