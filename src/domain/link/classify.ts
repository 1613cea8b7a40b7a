import type { AppError } from '../common/error.ts';
import { isAccepted, type StatusRange } from './accept.ts';
import type { LinkClass, LinkReport, LinkResult, LinkVerdict } from './records.ts';

const VERDICT_BY_CLASS: Readonly<Record<LinkClass, LinkVerdict>> = {
  ok: 'PASS',
  redirect: 'PASS',
  client_error: 'FAIL',
  server_error: 'FAIL',
  unexpected_status: 'FAIL',
  anchor_missing: 'FAIL',
  timeout: 'FAIL',
  dns: 'FAIL',
  tls: 'FAIL',
  connection: 'FAIL',
  redirect_loop: 'FAIL',
  protocol: 'FAIL',
  invalid: 'FAIL',
  // These classes say nothing about the link: the host asked us to wait, or we did not request it.
  rate_limited: 'UNKNOWN',
  ssrf_blocked: 'UNKNOWN',
  not_checked: 'UNKNOWN',
};

/** A link result before its verdict. */
export type LinkFinding = Omit<LinkResult, 'verdict'>;

/** Classifies a status code. 429 never counts against the link. */
export function classifyStatus(
  status: number,
  accepted: readonly StatusRange[],
  redirects: number,
): LinkClass {
  if (isAccepted(status, accepted)) return redirects > 0 ? 'redirect' : 'ok';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'unexpected_status';
}

/** Classifies an egress error. `reached` says whether the host sent any response. */
export function classifyError(error: AppError): { class: LinkClass; reached: boolean } {
  const { kind, phase, code } = error.data;
  if (error.code === 'EGRESS_BLOCKED') return { class: 'ssrf_blocked', reached: false };
  if (error.code === 'EGRESS_TIMEOUT') return { class: 'timeout', reached: phase !== 'connect' };
  if (error.code === 'EGRESS_TOO_LARGE') return { class: 'protocol', reached: true };
  if (error.code !== 'EGRESS_FAILED') return { class: 'not_checked', reached: false };
  switch (kind) {
    case 'dns':
      return { class: 'dns', reached: false };
    case 'tls':
      return { class: 'tls', reached: true };
    case 'connect':
      return { class: 'connection', reached: code === 'ECONNREFUSED' };
    case 'reset':
      return { class: 'connection', reached: true };
    case 'redirects':
      return { class: 'redirect_loop', reached: true };
    case 'protocol':
      return { class: 'protocol', reached: true };
    default:
      return { class: 'not_checked', reached: false };
  }
}

/**
 * Computes all verdicts. One failed link fails the report; otherwise one unknown link makes it
 * unknown. If no host responded at all, unreachable links count as unknown, because a missing
 * network connection looks the same.
 */
export function buildLinkReport(findings: readonly LinkFinding[]): LinkReport {
  const isUnreachable = findings.every((finding) => !finding.reached);
  const results = findings.map((finding) => {
    const classVerdict = VERDICT_BY_CLASS[finding.class];
    const isUndecided = isUnreachable && classVerdict === 'FAIL' && finding.class !== 'invalid';
    return { ...finding, verdict: isUndecided ? ('UNKNOWN' as const) : classVerdict };
  });
  const count = (verdict: LinkVerdict) => results.filter((row) => row.verdict === verdict).length;
  const counts = {
    total: results.length,
    passed: count('PASS'),
    failed: count('FAIL'),
    unknown: count('UNKNOWN'),
    by_class: countClasses(results),
  };
  const verdict = counts.failed > 0 ? 'FAIL' : counts.unknown > 0 ? 'UNKNOWN' : 'PASS';
  return { verdict, reason: describeReason(verdict, counts, isUnreachable), counts, results };
}

/** Checks whether a report is billable: it has a verdict, or at least one host responded. */
export function isBillable(report: LinkReport): boolean {
  return report.verdict !== 'UNKNOWN' || report.results.some((result) => result.reached);
}

function countClasses(results: readonly LinkResult[]): Partial<Record<LinkClass, number>> {
  const counts: Partial<Record<LinkClass, number>> = {};
  for (const result of results) counts[result.class] = (counts[result.class] ?? 0) + 1;
  return counts;
}

function describeReason(
  verdict: LinkVerdict,
  counts: Omit<LinkReport['counts'], 'by_class'>,
  isCutOff: boolean,
): string {
  const { total, passed, failed, unknown } = counts;
  switch (verdict) {
    case 'PASS':
      return `${passed} of ${total} links work.`;
    case 'FAIL':
      return `${failed} of ${total} links do not work${unknown > 0 ? `, ${unknown} unknown` : ''}.`;
    case 'UNKNOWN':
      return isCutOff
        ? `None of ${total} links could be reached from this server, so their state is unknown.`
        : `${unknown} of ${total} links could not be checked; ${passed} work.`;
  }
}
