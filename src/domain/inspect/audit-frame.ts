import type { ConsentRecord } from '../audit/order.ts';
import type { AuditPlanName } from '../audit/plans.ts';
import type { AsiCategory, Finding, ProbeMode, ProbeRun, Severity } from '../audit/records.ts';
import type { ConfirmedBySeverity } from '../audit/report.ts';

/** An audit now. Times are milliseconds since 1970, money is micro-dollars as text. */
export interface AuditFrame {
  readonly topic: 'audit';
  readonly id: string;
  readonly status: string;
  /** The public name, under which its report stands. */
  readonly auditId: string;
  readonly plan: AuditPlanName;
  /** The plan in words. */
  readonly title: string;
  readonly target: string;
  readonly origin: string;
  readonly pinnedAddress: string | null;
  readonly mode: ProbeMode;
  readonly createdAt: number;
  readonly at: number;
  /** `null` before the target was looked at, and at the end. */
  readonly deadlineAt: number | null;
  readonly phase: string;
  readonly phases: readonly string[];
  /** The proof of control; `null` before it was looked at. */
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
  /** How it ended; `null` while it goes on. */
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly report: AuditReportLine | null;
}

/** What the first look saw. */
export interface AuditRecon {
  readonly tools: number;
  readonly access: 'open' | 'refused';
  /** Looks between two seats that saw the same target, and those that saw another one. */
  readonly looks: number;
  readonly changes: number;
}

/** What is done right now. */
export interface AuditRunning {
  readonly what: 'probe' | 'replay' | 'look';
  readonly seat: string;
  /** Absent on looks. */
  readonly probeId: string | null;
}

/** A seat with its work. */
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
  /** Probes that looked, that ended or were left out without a look, and all that are planned. */
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

/** A finding without its evidence, which the report has. */
export interface AuditFinding {
  readonly findingId: string;
  readonly category: AsiCategory;
  readonly probeId: string;
  readonly severity: Severity;
  readonly status: Finding['status'];
  /** `null` where its text is not kept any more. */
  readonly title: string | null;
  readonly tool: string | null;
  readonly remediation: string | null;
  /** Whether another seat has looked for it again. */
  readonly replay: 'not_needed' | 'waiting' | 'running' | 'seen' | 'not_seen' | 'not_done';
  /** The seat that saw it again. */
  readonly replayedBy: string | null;
}

/** The report, once it is written. */
export interface AuditReportLine {
  readonly root: string;
  readonly confirmed: ConfirmedBySeverity;
  /** Where anyone reads it; `null` before it is signed. */
  readonly path: string | null;
  readonly signer: string | null;
  readonly anchor: { readonly status: string; readonly reason: string | null } | null;
}
