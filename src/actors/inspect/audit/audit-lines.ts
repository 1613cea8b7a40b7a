import type { FindingRef } from '../../../domain/audit/order.ts';
import { AUDIT_PLANS } from '../../../domain/audit/plans.ts';
import { ASI_CATEGORIES, AsiCategory } from '../../../domain/audit/records.ts';
import type {
  AuditCategory,
  AuditFinding,
  AuditProbe,
  AuditRunning,
  AuditSeatLine,
} from '../../../domain/inspect/audit-frame.ts';
import type { AuditContext } from '../../../machines/audit/audit-context.ts';
import { nextReplay, VERIFYING_SEAT } from '../../../machines/audit/audit-steps.ts';
import type { ReportText, StoredTexts } from './stored-texts.ts';

/** An audit with the step that is currently running. */
export interface RunningAudit {
  readonly context: AuditContext;
  readonly running: AuditRunning | null;
}

/** Returns all planned probes, and the probes that only the report knows. */
export function probeLines(
  { context, running }: RunningAudit,
  report: ReportText | undefined,
): readonly AuditProbe[] {
  const { input } = context;
  const runs = new Map(context.runs.map((run) => [run.probeId, run]));
  const skipped = new Map(context.skipped.map(({ probeId, reason }) => [probeId, reason]));
  const planned = input.probes.map(({ probeId, category, mode }): AuditProbe => {
    const shared = { probeId, category, mode };
    const run = runs.get(probeId);
    if (run !== undefined) {
      const { outcome, requests, reason } = run;
      return { ...shared, outcome, requests, reason };
    }
    const skipReason = skipped.get(probeId);
    if (skipReason !== undefined) {
      return { ...shared, outcome: 'left_out', requests: 0, reason: skipReason };
    }
    const isRunning = running?.what === 'probe' && running.probeId === probeId;
    if (isRunning) return { ...shared, outcome: 'running', requests: 0, reason: null };
    const outcome = context.outcome === null ? 'planned' : 'left_out';
    const reason = outcome === 'planned' ? null : 'The audit ended before this probe ran.';
    return { ...shared, outcome, requests: 0, reason };
  });
  const known = new Set(input.probes.map(({ probeId }) => probeId));
  const others = (report?.probes ?? []).filter(({ probe_id }) => !known.has(probe_id));
  return [
    ...planned,
    ...others.map(({ probe_id: probeId, category, mode, outcome, requests, reason }) => ({
      probeId,
      category,
      mode,
      outcome,
      requests,
      reason,
    })),
  ];
}

/** Returns the ten categories, with verdicts once the report exists. */
export function categoryLines(
  { findings }: AuditContext,
  probes: readonly AuditProbe[],
  report: ReportText | undefined,
): readonly AuditCategory[] {
  return AsiCategory.options.map((category) => {
    const own = probes.filter((probe) => probe.category === category);
    const open = own.filter(({ outcome }) => outcome === 'planned' || outcome === 'running');
    const looked = own.filter(({ outcome }) => outcome === 'clean' || outcome === 'found');
    const verdict = report?.categories.find((one) => one.category === category)?.verdict;
    return {
      category,
      name: ASI_CATEGORIES[category],
      verdict: verdict ?? null,
      looked: looked.length,
      unlooked: own.length - open.length - looked.length,
      probes: own.length,
      findings: findings.filter((one) => one.category === category && one.status !== 'refuted')
        .length,
    };
  });
}

/** Returns the findings, ordered by status and then by severity. */
export function findingLines(now: RunningAudit, texts: StoredTexts): readonly AuditFinding[] {
  const lines = now.context.findings.map((finding): AuditFinding => {
    const { findingId, category, probeId, severity, status, sha } = finding;
    const text = texts.finding(sha);
    return {
      findingId,
      category,
      probeId,
      severity,
      status,
      title: text?.title ?? null,
      tool: text?.tool ?? null,
      remediation: text?.remediation ?? null,
      replay: replayState(finding, now),
      replayedBy: text?.reproducedBy ?? null,
    };
  });
  return lines.sort(
    (one, other) =>
      STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status) ||
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
}

const STATUSES: readonly AuditFinding['status'][] = [
  ...(['confirmed', 'unreproduced', 'inconclusive', 'indicator', 'refuted'] as const),
];
const SEVERITIES: readonly AuditFinding['severity'][] = [
  ...(['critical', 'high', 'medium', 'low', 'info'] as const),
];

function replayState({ findingId, status }: FindingRef, now: RunningAudit): AuditFinding['replay'] {
  const { context, running } = now;
  if (status === 'indicator') return 'not_needed';
  if (status === 'confirmed') return 'seen';
  if (status === 'inconclusive') return 'not_seen';
  if (context.replayed.includes(findingId) || status === 'refuted') return 'not_seen';
  if (context.outcome !== null) return 'not_done';
  const isRunning = running?.what === 'replay' && nextReplay(context)?.findingId === findingId;
  return isRunning ? 'running' : 'waiting';
}

/** Returns the seats with their progress. */
export function seatLines(
  { context, running }: RunningAudit,
  probes: readonly AuditProbe[],
): readonly AuditSeatLine[] {
  const { input, seat: current, outcome } = context;
  return AUDIT_PLANS[input.plan].seats.map(({ seat_id: seat, role, categories }) => {
    const own = probes.filter(({ category }) => categories.includes(category));
    const done = own.filter((one) => one.outcome !== 'planned' && one.outcome !== 'running');
    const isAtWork = running === null ? seat === current : running.seat === seat;
    const isAtEnd = outcome !== null || (own.length > 0 && done.length === own.length);
    const isWorking = outcome === null && isAtWork && current !== '';
    const state = isWorking
      ? 'working'
      : isAtEnd || current === VERIFYING_SEAT
        ? 'done'
        : 'waiting';
    return { seat, role, state, probesDone: done.length, probes: own.length };
  });
}
