import { AUDIT_PLANS } from '../../domain/audit/plans.ts';
import type { Progress } from '../../domain/tool/tool.ts';
import { VERIFYING_SEAT } from '../../machines/audit/audit-steps.ts';
import type { AuditView } from './audit-view.ts';

/** Steps after the probes: replays, report, signature, and anchor. */
const FINAL_STEPS = 4;

/**
 * Returns the progress of an audit, with a message such as `ASI05 auditor: probe 12/31 · 2 findings
 * · 87 of 400 requests`.
 */
export function auditProgress(view: AuditView): Progress {
  const total = view.context.input.probes.length + FINAL_STEPS;
  return { progress: countSteps(view), total, message: progressMessage(view) };
}

/** Returns the number of completed probes and steps. */
function countSteps({ context, status }: AuditView): number {
  const { input, next, findings, replayed, sealed, signedSha } = context;
  const { length } = input.probes;
  if (status !== 'active' && status !== 'stuck') return length + FINAL_STEPS;
  if (signedSha !== null) return length + 3;
  if (sealed !== null) return length + 2;
  if (next < length) return next;
  // All replays count as one step, because their number is not known in advance.
  return length + replayed.length / (findings.length + 1);
}

function progressMessage({ context, value }: AuditView): string {
  const { input, runs, findings, requests } = context;
  const counted = findings.filter(({ status }) => status !== 'refuted').length;
  const facts =
    `${counted} ${counted === 1 ? 'finding' : 'findings'} · ` +
    `${requests} of ${input.requestsMax} requests`;
  const probe = `probe ${runs.length}/${input.probes.length}`;
  return `${currentActivity(context, value)}: ${probe} · ${facts}`;
}

function currentActivity({ seat, input }: AuditView['context'], value: unknown): string {
  if (typeof value === 'string') return value;
  if (seat === VERIFYING_SEAT) return 'verifying';
  const { seats } = AUDIT_PLANS[input.plan];
  return seats.find(({ seat_id }) => seat_id === seat)?.role ?? 'recon';
}
