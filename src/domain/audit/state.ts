import { z } from 'zod';
import { Money } from '../common/money.ts';
import { Resilience } from '../injection/resistance.ts';
import { AuditPlanName } from './plans.ts';
import { AsiCategory, ProbeMode, Severity } from './records.ts';
import { ConfirmedBySeverity } from './report.ts';

/** A confirmed finding in one line, without its evidence. */
export const FindingLine = z.object({
  finding_id: z.string(),
  category: AsiCategory,
  severity: Severity,
  title: z.string(),
  tool: z.string().nullable(),
  remediation: z.string(),
});

/** Summary of an audit result. */
export const AuditResult = z.object({
  /** What could not be undone on the target; empty if everything was undone. */
  left_behind: z.string(),
  outcome: z.string(),
  reason: z.string().nullable(),
  verdicts: z.record(z.string(), z.enum(['pass', 'fail', 'partial', 'not_assessed'])),
  confirmed: ConfirmedBySeverity,
  findings: z.array(FindingLine),
  /** Text-based findings that no second seat could confirm. */
  indicators: z.number(),
  unreproduced: z.number(),
  /** Resistance per class; only for audits of the injection corpus. */
  injection: Resilience.optional(),
  root: z.string(),
  signer: z.string(),
  anchor_status: z.enum(['anchored', 'pending', 'not_configured']),
  anchor_reason: z.string().nullable(),
  limits: z.array(z.string()),
});
/** A parsed {@link AuditResult}. */
export type AuditResult = z.infer<typeof AuditResult>;

/** Unsigned counts of an audit that its target cut off. The audit is incomplete and not charged. */
export const CutOffCounts = z.object({
  is_complete: z.literal(false),
  is_signed: z.literal(false),
  /** Probes that examined the target, and probes that the target blocked. */
  probes_looked: z.number(),
  probes_hindered: z.number(),
  /** Possible defects that no second seat reproduced. */
  findings_unconfirmed: z.number(),
});
/** A parsed {@link CutOffCounts}. */
export type CutOffCounts = z.infer<typeof CutOffCounts>;

/** Current state of an audit as its buyer sees it; the same shape throughout. */
export const AuditState = z.object({
  job_id: z.string(),
  /** Public name of the audit. */
  audit_id: z.string(),
  status: z.enum(['working', 'published', 'aborted', 'failed', 'stuck']),
  phase: z.string(),
  plan: AuditPlanName,
  target: z.string(),
  mode: ProbeMode,
  /** Whether writing tools are called. */
  allow_writes: z.boolean(),
  seats: z.number(),
  probes_done: z.number(),
  probes_planned: z.number(),
  findings: z.number(),
  requests: z.number(),
  requests_max: z.number(),
  price: Money,
  /** Amount to refund, once known. */
  refund: Money.nullable(),
  /** Public path of the report; available after the report is signed. */
  report_path: z.string(),
  /** Outcome of the audit; `null` while it is running. */
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  poll_after_ms: z.number().optional(),
  cut_off: CutOffCounts.optional(),
  result: AuditResult.optional(),
});
/** A parsed {@link AuditState}. */
export type AuditState = z.infer<typeof AuditState>;

/** Base path of audit reports. */
export const AUDITS_PATH = '/v1/audits';
