import { isCutOffByTarget } from '../../domain/audit/order.ts';
import { AUDIT_PLANS } from '../../domain/audit/plans.ts';
import { type AuditReport, totalConfirmed } from '../../domain/audit/report.ts';
import {
  AUDITS_PATH,
  type AuditResult,
  type AuditState,
  type CutOffCounts,
} from '../../domain/audit/state.ts';
import { toMoney } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createAuditWorkEvent } from '../../machines/audit/audit-facts.ts';
import type { Services } from '../common/services.ts';
import type { AuditView } from './audit-view.ts';
import { readSignedReport } from './signed-report.ts';

/** Polling interval suggested to clients, in milliseconds. */
const POLL_AFTER_MS = 2 * SECOND_MS;
/** Maximum number of findings in an answer; the report has them all. */
const LINES_MAX = 20;

/** Returns the public state of an audit. */
export function createAuditState(view: AuditView, blobs: Services['blobs']): AuditState {
  const { context } = view;
  const { input, runs, skipped, findings, requests, reason } = context;
  const status = statusOf(view);
  const result = readResult(view, blobs);
  return {
    job_id: view.id,
    audit_id: input.auditId,
    status,
    phase: phaseOf(view),
    plan: input.plan,
    target: input.target.kind === 'mcp_stdio' ? input.origin : input.target.url,
    mode: input.mode,
    allow_writes: input.allowWrites === true,
    seats: AUDIT_PLANS[input.plan].seats.length,
    probes_done: runs.length + skipped.length,
    probes_planned: input.probes.length,
    findings: findings.filter((one) => one.status !== 'refuted').length,
    requests,
    requests_max: input.requestsMax,
    price: toMoney(input.priceMicroUsd),
    refund: status === 'working' || status === 'stuck' ? null : refundView(view),
    report_path: `${AUDITS_PATH}/${input.auditId}`,
    outcome: context.outcome,
    reason: status === 'failed' && reason === null ? 'The operator stopped the audit.' : reason,
    ...(status === 'working' || status === 'stuck' ? { poll_after_ms: POLL_AFTER_MS } : {}),
    ...(isCutOffByTarget(context.outcome) ? { cut_off: cutOffCounts(context) } : {}),
    ...(result === undefined ? {} : { result }),
  };
}

function cutOffCounts({ runs, findings }: AuditView['context']): CutOffCounts {
  const count = (wanted: readonly string[]) =>
    runs.filter(({ outcome }) => wanted.includes(outcome)).length;
  return {
    is_complete: false,
    is_signed: false,
    probes_looked: count(['clean', 'found', 'partial']),
    probes_hindered: count(['failed', 'blocked']),
    findings_unconfirmed: findings.filter(({ status }) => status === 'unreproduced').length,
  };
}

function statusOf({ status, value }: AuditView): AuditState['status'] {
  if (status === 'active') return 'working';
  if (status === 'stuck') return 'stuck';
  return value === 'published' || value === 'aborted' ? value : 'failed';
}

/** Returns the state path from outer to inner, such as `working.asking.probing.running`. */
function phaseOf({ value }: AuditView): string {
  const names: string[] = [];
  let inner: unknown = value;
  while (typeof inner === 'object' && inner !== null) {
    const [entry] = Object.entries(inner);
    names.push(entry?.[0] ?? '');
    inner = entry?.[1];
  }
  return [...names, String(inner)].join('.');
}

function refundView({ context }: AuditView): AuditState['refund'] {
  const event = createAuditWorkEvent(context);
  if (event.type === 'WORK.DONE') return null;
  const refund = event['refundMicroUsd'];
  return toMoney(typeof refund === 'string' ? refund : context.input.priceMicroUsd);
}

function readResult(view: AuditView, blobs: Services['blobs']): AuditResult | undefined {
  const { status, context } = view;
  if (status !== 'done' || context.signedSha === null) return undefined;
  const { report, statement } = readSignedReport(blobs, context.signedSha);
  const { anchor } = context;
  return {
    left_behind: report.left_behind ?? '',
    outcome: report.outcome,
    reason: report.reason,
    verdicts: Object.fromEntries(
      report.categories.map(({ category, verdict }) => [category, verdict]),
    ),
    confirmed: report.confirmed,
    findings: findingLines(report),
    indicators: countFindings(report, 'indicator'),
    unreproduced: countFindings(report, 'unreproduced'),
    ...(report.injection === undefined ? {} : { injection: report.injection }),
    root: report.root,
    signer: statement.signature.signer,
    anchor_status: anchor?.status ?? 'pending',
    anchor_reason: anchor?.reason ?? null,
    limits: report.limits,
  };
}

const BY_SEVERITY = ['critical', 'high', 'medium', 'low', 'info'] as const;

function findingLines({ findings, confirmed }: AuditReport): AuditResult['findings'] {
  if (totalConfirmed(confirmed) === 0) return [];
  return BY_SEVERITY.flatMap((severity) =>
    findings.filter((one) => one.severity === severity && one.status === 'confirmed'),
  )
    .slice(0, LINES_MAX)
    .map(({ finding_id, category, severity, title, tool, remediation }) => ({
      finding_id,
      category,
      severity,
      title,
      tool,
      remediation,
    }));
}

function countFindings({ findings }: AuditReport, status: string): number {
  return findings.filter((finding) => finding.status === status).length;
}
