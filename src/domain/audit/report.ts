import { z } from 'zod';
import { Resilience, resilienceOf } from '../injection/resistance.ts';
import { Trial } from '../injection/trial.ts';
import { merkleRoot } from '../panel/merkle.ts';
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

/** Kind of the signed statement that a report is the payload of. */
export const AUDIT_STATEMENT = 'audit_report';

const Exchange = z.object({ request: z.string(), response: z.string(), sha256: z.string() });

/** A finding as the report shows it. It counts only as `confirmed`. */
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
  /** The same without the fault, beside it. */
  control: Exchange.nullable(),
  /** The seat that saw it again in a fresh session. */
  reproduced_by: z.string().nullable(),
  replay: Exchange.nullable(),
  remediation: z.string(),
});
/** See {@link ReportFinding}. */
export type ReportFinding = z.infer<typeof ReportFinding>;

/** The verdict on a category. Without a probe that looked it is `not_assessed`. */
export const ReportCategory = z.object({
  category: AsiCategory,
  name: z.string(),
  verdict: z.enum(['pass', 'fail', 'partial', 'not_assessed']),
  seat: z.string(),
  probes_run: z.array(z.string()),
  probes_skipped: z.array(z.object({ probe_id: z.string(), reason: z.string() })),
  finding_ids: z.array(z.string()),
});
/** See {@link ReportCategory}. */
export type ReportCategory = z.infer<typeof ReportCategory>;

/** A probe that ran, or did not. */
export const ReportProbe = z.object({
  probe_id: z.string(),
  probe_version: z.int(),
  category: AsiCategory,
  mode: ProbeMode,
  outcome: RunOutcome,
  reason: z.string().nullable(),
  requests: z.int(),
  subjects: z.array(z.string()),
  /** What was sent and what came back, text by text; only of the corpus of injections. */
  trials: z.array(Trial).optional(),
  /** What tools of the target may still hold of it. */
  left_behind: z.array(LeftBehind).optional(),
});
/** See {@link ReportProbe}. */
export type ReportProbe = z.infer<typeof ReportProbe>;

const Count = z.int().min(0);

/** How many findings count, by severity. */
export const ConfirmedBySeverity = z.object({
  ...{ critical: Count, high: Count, medium: Count, low: Count, info: Count },
});
/** See {@link ConfirmedBySeverity}. */
export type ConfirmedBySeverity = z.infer<typeof ConfirmedBySeverity>;

const OUTCOMES = [
  ...['complete', 'deadline', 'stopped', 'cancelled'],
  ...['target_down', 'unassessable', 'refused', 'failed'],
] as [AuditOutcome, ...AuditOutcome[]];

/** ProofOfAuditReport: what was looked at, by whom, and what was seen. */
export const AuditReport = z.object({
  /** First, what the audit could not undo on its target; empty where it undid everything. */
  left_behind: z.string().optional(),
  v: z.literal(1),
  kind: z.literal('ProofOfAuditReport'),
  audit_id: z.string(),
  plan: AuditPlanName,
  /** No language model took part. */
  mode: z.literal('rules_only'),
  target: z.object({
    address: TargetAddress,
    origin: z.string(),
    pinned_address: z.string().nullable(),
    server: z.object({ name: z.string(), version: z.string() }).nullable(),
    protocol_version: z.string().nullable(),
    tools: z.int(),
    /** True when the target listed more than was looked at. */
    is_cut: z.boolean(),
  }),
  /** Hashes over whole definitions as they were at first. */
  target_pins: TargetPins,
  scope: z.object({
    mode: ProbeMode,
    /** Whether tools that write were tried; absent in older reports, which tried them. */
    allow_writes: z.boolean().optional(),
    categories: z.array(AsiCategory),
    requests_max: z.int(),
    deadline_s: z.int(),
  }),
  /** How the asker showed that the owner of the target agrees; `null` on passive audits. */
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
  /** How the target withstood the corpus of injections; follows from the trials of the probes. */
  injection: Resilience.optional(),
  /** What the report does not say. */
  limits: z.array(z.string()),
  /** Merkle root over findings, categories and probes, in this order. */
  root: z.string().regex(/^[0-9a-f]{64}$/),
});
/** See {@link AuditReport}. */
export type AuditReport = z.infer<typeof AuditReport>;

/** Computes the root of a report from its findings, categories and probes. */
export function reportRoot(
  report: Pick<AuditReport, 'findings' | 'categories' | 'probes'>,
): string {
  return merkleRoot([...report.findings, ...report.categories, ...report.probes]);
}

/** Counts the findings that were seen again by another seat. */
export function countConfirmed(
  findings: readonly Pick<ReportFinding, 'severity' | 'status'>[],
): ConfirmedBySeverity {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity, status } of findings) if (status === 'confirmed') counts[severity] += 1;
  return counts;
}

/** Counts the trials of a report's probes. */
export function countTrials(probes: readonly Pick<ReportProbe, 'trials'>[]): Resilience {
  return resilienceOf(probes.flatMap(({ trials }) => trials ?? []));
}

/** How many findings count, of all severities. */
export function confirmedSum(counts: ConfirmedBySeverity): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Writes a finding as the report shows it. */
export function reportFinding(finding: Finding): ReportFinding {
  return {
    finding_id: finding.findingId,
    category: finding.category,
    probe_id: finding.probeId,
    probe_version: finding.probeVersion,
    title: finding.title,
    severity: finding.severity,
    status: finding.status,
    tool: finding.tool ?? null,
    evidence: exchange(finding.evidence),
    control: finding.control === null ? null : exchange(finding.control),
    reproduced_by: finding.reproducedBy,
    replay: finding.replay === null ? null : exchange(finding.replay),
    remediation: finding.remediation,
  };
}

/** Writes a verdict as the report shows it. */
export function reportCategory(
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

/** Writes a probe as the report shows it. */
export function reportProbe(run: ProbeRun): ReportProbe {
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

function exchange({ request, responseExcerpt, sha256 }: Evidence) {
  return { request, response: responseExcerpt, sha256 };
}
