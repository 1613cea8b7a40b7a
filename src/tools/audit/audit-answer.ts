import { ASI_CATEGORIES, AsiCategory } from '../../domain/audit/records.ts';
import type { AuditResult, AuditState } from '../../domain/audit/state.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { joinResponse, quoteText, toReadableLine } from '../../domain/common/readable.ts';
import type { ClassResistance, Resilience } from '../../domain/injection/resistance.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats an audit for its buyer: findings first, everything in `structuredContent`. */
export function formatAudit(state: AuditState): ToolResult {
  return {
    content: [{ type: 'text', text: joinResponse(auditLines(state)) }],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(state.status === 'failed' || state.cut_off !== undefined ? { isError: true } : {}),
  };
}

function auditLines(state: AuditState): readonly string[] {
  const { result } = state;
  if (result !== undefined) return resultLines(state, result);
  if (state.poll_after_ms !== undefined) {
    return [
      `Working: ${state.phase}, ${state.probes_done} of ${state.probes_planned} probes, ` +
        `${state.findings} findings so far, ${state.requests} of ${state.requests_max} requests.`,
      `Call get_result with job_id ${state.job_id} again, or cancel with cancel: true.`,
      `The report will be at ${state.report_path}.`,
    ];
  }
  return [
    `No report: ${state.reason ?? 'the audit ended before it had anything to report.'}`,
    ...cutOffLines(state),
    ...refundLines(state),
    `Job: ${state.job_id}`,
  ];
}

function cutOffLines({ cut_off }: AuditState): readonly string[] {
  if (cut_off === undefined) return [];
  const { probes_looked, probes_hindered, findings_unconfirmed } = cut_off;
  return [
    `Incomplete and unsigned: ${probes_looked} probes ran, ${probes_hindered} failed or were ` +
      `blocked, ${findings_unconfirmed} findings were seen once and not confirmed.`,
  ];
}

function resultLines(state: AuditState, result: AuditResult): readonly string[] {
  const { critical, high, medium, low, info } = result.confirmed;
  const sum = critical + high + medium + low + info;
  return [
    ...(result.left_behind === '' ? [] : [result.left_behind]),
    `Audit of ${state.target}: ${sum} confirmed ${sum === 1 ? 'finding' : 'findings'} ` +
      `(critical ${critical}, high ${high}, medium ${medium}, low ${low}, info ${info}).`,
    ...(result.reason === null ? [] : [`${result.outcome}: ${result.reason}`]),
    ...cutOffLines(state),
    ...verdictLines(result),
    ...result.findings.map(
      (one) =>
        `- ${one.severity} ${one.category}: ${toReadableLine(one.title)}` +
        `${one.tool === null ? '' : ` (tool ${quoteText(one.tool)})`}. ` +
        toReadableLine(one.remediation),
    ),
    `Not counted: ${result.indicators} indicators, ${result.unreproduced} not reproduced.`,
    `Report: ${state.report_path} (also ?format=sarif), Merkle root ${result.root}, ` +
      `signed by ${result.signer}.`,
    `Anchor: ${[result.anchor_status, result.anchor_reason ?? ''].join('. ').trim()}`,
    ...refundLines(state),
    'Limits:',
    ...result.limits.map((limit) => `- ${limit}`),
    `Job: ${state.job_id}`,
  ];
}

function verdictLines({ injection, verdicts }: AuditResult): readonly string[] {
  if (injection !== undefined) return formatResilience(injection);
  return AsiCategory.options.map(
    (category) =>
      `${category} ${ASI_CATEGORIES[category]}: ${verdicts[category] ?? 'not_assessed'}`,
  );
}

function refundLines({ refund }: AuditState): readonly string[] {
  return refund === null ? [] : [`Refund due: $${refund.amount}`];
}

/** Formats the resistance of a target to the injection corpus: totals, then per class. */
function formatResilience(injection: Resilience): readonly string[] {
  const { corpus_version, corpus_sha256, places, direct, indirect, classes } = injection;
  return [
    `Direct injections: ${formatCounts(direct)}. Indirect: ${formatCounts(indirect)}.`,
    ...classes.map((one) => `${one.channel} ${one.class} (${one.title}): ${formatCounts(one)}`),
    `Places: ${places.join(', ') || 'none'}. Corpus ${corpus_version}, SHA-256 ${corpus_sha256}.`,
  ];
}

type Counts = Omit<ClassResistance, 'class' | 'title' | 'channel'>;

function formatCounts(counts: Counts): string {
  const { attacks, assessed, obeyed, not_assessed, interval, verdict } = counts;
  if (interval === null) return `not_assessed (${attacks} sent, none answered)`;
  const share = `resisted ${assessed - obeyed} of ${assessed}`;
  const range = `95 % interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)} %`;
  const rest = not_assessed === 0 ? '' : `, ${not_assessed} not assessed`;
  return `${verdict === 'obeyed' ? 'OBEYED, ' : ''}${share} (${range}${rest})`;
}

function formatPercent(share: number): string {
  return (share * 100).toFixed(0);
}
