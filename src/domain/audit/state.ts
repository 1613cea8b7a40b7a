import { z } from 'zod';
import { Money } from '../common/money.ts';
import { Resilience } from '../injection/resistance.ts';
import { AuditPlanName } from './plans.ts';
import { AsiCategory, ProbeMode, Severity } from './records.ts';
import { ConfirmedBySeverity } from './report.ts';

/** A confirmed finding in one line; the report has its evidence. */
export const FindingLine = z.object({
  finding_id: z.string(),
  category: AsiCategory,
  severity: Severity,
  title: z.string(),
  tool: z.string().nullable(),
  remediation: z.string(),
});

/** What an audit came to, in short. */
export const AuditResult = z.object({
  /** First, what could not be undone on the target; empty where everything was. */
  left_behind: z.string(),
  outcome: z.string(),
  reason: z.string().nullable(),
  verdicts: z.record(z.string(), z.enum(['pass', 'fail', 'partial', 'not_assessed'])),
  confirmed: ConfirmedBySeverity,
  findings: z.array(FindingLine),
  /** Hints of texts that no second seat could see as a fact. */
  indicators: z.number(),
  unreproduced: z.number(),
  /** Resistance class by class, of the audit by the corpus of injections. */
  injection: Resilience.optional(),
  root: z.string(),
  signer: z.string(),
  anchor_status: z.enum(['anchored', 'pending', 'not_configured']),
  anchor_reason: z.string().nullable(),
  limits: z.array(z.string()),
});
/** See {@link AuditResult}. */
export type AuditResult = z.infer<typeof AuditResult>;

/**
 * What is told of an audit that its target cut off: counts that nobody signed, of a look that was
 * not finished. Nothing was charged for it.
 */
export const CutOffCounts = z.object({
  is_complete: z.literal(false),
  is_signed: z.literal(false),
  /** Probes that looked at the target, and those that it hindered. */
  probes_looked: z.number(),
  probes_hindered: z.number(),
  /** Things that looked like faults and that no second seat has seen. */
  findings_unconfirmed: z.number(),
});
/** See {@link CutOffCounts}. */
export type CutOffCounts = z.infer<typeof CutOffCounts>;

/** An audit as its buyer can read it at any time; the same shape from first to last. */
export const AuditState = z.object({
  job_id: z.string(),
  /** The public name. */
  audit_id: z.string(),
  status: z.enum(['working', 'published', 'aborted', 'failed', 'stuck']),
  phase: z.string(),
  plan: AuditPlanName,
  target: z.string(),
  mode: ProbeMode,
  /** Whether tools that write are tried. */
  allow_writes: z.boolean(),
  seats: z.number(),
  probes_done: z.number(),
  probes_planned: z.number(),
  findings: z.number(),
  requests: z.number(),
  requests_max: z.number(),
  price: Money,
  /** What goes back, once it is known. */
  refund: Money.nullable(),
  /** Where anyone can read the report; nothing is there before it is signed. */
  report_path: z.string(),
  /** How it ended; `null` while it goes on. */
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  poll_after_ms: z.number().optional(),
  cut_off: CutOffCounts.optional(),
  result: AuditResult.optional(),
});
/** See {@link AuditState}. */
export type AuditState = z.infer<typeof AuditState>;

/** Where the reports of audits are read. */
export const AUDITS_PATH = '/v1/audits';
