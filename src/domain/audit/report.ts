import { z } from 'zod';
import { computeResilience, Resilience } from '../injection/resistance.ts';
import { Trial } from '../injection/trial.ts';
import { computeMerkleRoot } from '../panel/merkle.ts';
import type { AuditOutcome } from './order.ts';
import { AuditPlanName, AuditSeat } from './plans.ts';
import { LeftBehind } from './probe/left-behind.ts';
import { TargetPins } from './probe/recon.ts';
import type { CategoryVerdict, Evidence, Finding, ProbeRun } from './records.ts';
import {
  AsiCategory,
  FindingStatus,
  ProbeMode,
  RunOutcome,
  Severity,
  TargetAddress,
} from './records.ts';

/** Kind of the signed statement whose payload is a report. */
export const AUDIT_STATEMENT = 'audit_report';

const Exchange = z.object({ request: z.string(), response: z.string(), sha256: z.string() });

/** A finding in the report. It counts only if `confirmed`. */
export const ReportFinding = z.object({
  finding_id: z.string(),
  category: AsiCategory,
  probe_id: z.string(),
  probe_version: z.int(),
  title: z.string(),
  severity: Severity,
  status: FindingStatus,
  tool: z.string().nullable(),
  evidence: Exchange,
  /** The control exchange without the defect. */
  control: Exchange.nullable(),
  /** The seat that reproduced the finding in a new session. */
  reproduced_by: z.string().nullable(),
  replay: Exchange.nullable(),
  remediation: z.string(),
});
/** A parsed {@link ReportFinding}. */
export type ReportFinding = z.infer<typeof ReportFinding>;

/** Verdict for a category. `not_assessed` if no probe examined it. */
export const ReportCategory = z.object({
  category: AsiCategory,
  name: z.string(),
  verdict: z.enum(['pass', 'fail', 'partial', 'not_assessed']),
  seat: z.string(),
  probes_run: z.array(z.string()),
  probes_skipped: z.array(z.object({ probe_id: z.string(), reason: z.string() })),
  finding_ids: z.array(z.string()),
});
/** A parsed {@link ReportCategory}. */
export type ReportCategory = z.infer<typeof ReportCategory>;

/** A probe in the report, whether it ran or was skipped. */
export const ReportProbe = z.object({
  probe_id: z.string(),
  probe_version: z.int(),
  category: AsiCategory,
  mode: ProbeMode,
  outcome: RunOutcome,
  reason: z.string().nullable(),
  requests: z.int(),
  subjects: z.array(z.string()),
  /** Request and response of each trial; injection corpus only. */
  trials: z.array(Trial).optional(),
  /** Probe data that tools of the target may still hold. */
  left_behind: z.array(LeftBehind).optional(),
});
/** A parsed {@link ReportProbe}. */
export type ReportProbe = z.infer<typeof ReportProbe>;

const Count = z.int().min(0);

/** Number of confirmed findings by severity. */
export const ConfirmedBySeverity = z.object({
  critical: Count,
  high: Count,
  medium: Count,
  low: Count,
  info: Count,
});
/** A parsed {@link ConfirmedBySeverity}. */
export type ConfirmedBySeverity = z.infer<typeof ConfirmedBySeverity>;

const OUTCOMES = [
  ...['complete', 'deadline', 'stopped', 'cancelled'],
  ...['target_down', 'unassessable', 'refused', 'failed'],
] as [AuditOutcome, ...AuditOutcome[]];

/** Audit report (`ProofOfAuditReport`): scope, seats, findings and verdicts. */
export const AuditReport = z.object({
  /** What the audit could not undo on the target; empty if it undid everything. */
  left_behind: z.string().optional(),
  v: z.literal(1),
  kind: z.literal('ProofOfAuditReport'),
  audit_id: z.string(),
  plan: AuditPlanName,
  /** No language model is used. */
  mode: z.literal('rules_only'),
  target: z.object({
    address: TargetAddress,
    origin: z.string(),
    pinned_address: z.string().nullable(),
    server: z.object({ name: z.string(), version: z.string() }).nullable(),
    protocol_version: z.string().nullable(),
    tools: z.int(),
    /** True if the target listed more tools than the audit examined. */
    is_cut: z.boolean(),
  }),
  /** Hashes of the full definitions at the start of the audit. */
  target_pins: TargetPins,
  scope: z.object({
    mode: ProbeMode,
    /** Whether writing tools were called; absent in older reports, which called them. */
    allow_writes: z.boolean().optional(),
    categories: z.array(AsiCategory),
    requests_max: z.int(),
    deadline_s: z.int(),
  }),
  /** Proof of the owner's consent; `null` for passive audits. */
  consent: z
    .object({
      kind: z.enum(['nonce', 'passport', 'operator']),
      ref: z.string().nullable(),
      proven_at: z.string(),
      expires_at: z.string().nullable(),
    })
    .nullable(),
  probe_set_version: z.int(),
  seats: z.array(AuditSeat),
  outcome: z.enum(OUTCOMES),
  reason: z.string().nullable(),
  begun_at: z.string(),
  ended_at: z.string(),
  requests: z.int(),
  confirmed: ConfirmedBySeverity,
  categories: z.array(ReportCategory).length(AsiCategory.options.length),
  findings: z.array(ReportFinding),
  probes: z.array(ReportProbe),
  /** Resilience against the injection corpus, computed from the trials of the probes. */
  injection: Resilience.optional(),
  /** Limits of the report. */
  limits: z.array(z.string()),
  /** Merkle root over findings, categories and probes, in this order. */
  root: z.string().regex(/^[0-9a-f]{64}$/),
});
/** A parsed {@link AuditReport}. */
export type AuditReport = z.infer<typeof AuditReport>;

/** Computes the Merkle root of a report from its findings, categories and probes. */
export function computeReportRoot(
  report: Pick<AuditReport, 'findings' | 'categories' | 'probes'>,
): string {
  return computeMerkleRoot([...report.findings, ...report.categories, ...report.probes]);
}

/** Counts the findings that another seat reproduced, by severity. */
export function countConfirmed(
  findings: readonly Pick<ReportFinding, 'severity' | 'status'>[],
): ConfirmedBySeverity {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity, status } of findings) if (status === 'confirmed') counts[severity] += 1;
  return counts;
}

/** Counts the trials of a report's probes. */
export function countTrials(probes: readonly Pick<ReportProbe, 'trials'>[]): Resilience {
  return computeResilience(probes.flatMap(({ trials }) => trials ?? []));
}

/** Returns the number of confirmed findings of all severities. */
export function totalConfirmed(counts: ConfirmedBySeverity): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Converts a finding to its report form. */
export function toReportFinding(finding: Finding): ReportFinding {
  return {
    finding_id: finding.findingId,
    category: finding.category,
    probe_id: finding.probeId,
    probe_version: finding.probeVersion,
    title: finding.title,
    severity: finding.severity,
    status: finding.status,
    tool: finding.tool ?? null,
    evidence: toReportExchange(finding.evidence),
    control: finding.control === null ? null : toReportExchange(finding.control),
    reproduced_by: finding.reproducedBy,
    replay: finding.replay === null ? null : toReportExchange(finding.replay),
    remediation: finding.remediation,
  };
}

/** Converts a verdict to its report form. */
export function toReportCategory(
  verdict: CategoryVerdict,
  { name, seat }: { readonly name: string; readonly seat: string },
): ReportCategory {
  return {
    category: verdict.category,
    name,
    verdict: verdict.verdict,
    seat,
    probes_run: [...verdict.probesRun],
    probes_skipped: verdict.probesSkipped.map(({ probeId, reason }) => ({
      probe_id: probeId,
      reason,
    })),
    finding_ids: [...verdict.findingIds],
  };
}

/** Converts a probe run to its report form. */
export function toReportProbe(run: ProbeRun): ReportProbe {
  return {
    probe_id: run.probeId,
    probe_version: run.probeVersion,
    category: run.category,
    mode: run.mode,
    outcome: run.outcome,
    reason: run.reason,
    requests: run.requests,
    subjects: [...run.subjects],
    ...(run.trials === undefined ? {} : { trials: [...run.trials] }),
    ...(run.leftBehind === undefined ? {} : { left_behind: [...run.leftBehind] }),
  };
}

function toReportExchange({ request, responseExcerpt, sha256 }: Evidence) {
  return { request, response: responseExcerpt, sha256 };
}
