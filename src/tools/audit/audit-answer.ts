import { ASI_CATEGORIES, AsiCategory } from '../../domain/audit/records.ts';
import type { AuditResult, AuditState } from '../../domain/audit/state.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { quoteText, toReadableLine } from '../../domain/common/readable.ts';
import type { ClassResistance, Resilience } from '../../domain/injection/resistance.ts';
import { composeResult, RESULTS_PATH } from '../../domain/tool/result-text.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats an audit for its buyer: findings first, everything in `structuredContent`. */
export function formatAudit(state: AuditState, origin?: string): ToolResult {
  return {
    content: [{ type: 'text', text: composeResult({ ...describeAudit(state), origin }) }],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(state.status === 'failed' || state.cut_off !== undefined ? { isError: true } : {}),
  };
}

function describeAudit(state: AuditState) {
  const { result, price, seats, job_id: jobId } = state;
  const common = {
    decidedBy: `${seats} seats of this server, which are rules; no language model took part`,
    cost: `$${price.amount}${formatRefund(state)}`,
    see: `${RESULTS_PATH}/${jobId}`,
  };
  if (result !== undefined) return { ...common, ...describeResult(state, result) };
  if (state.poll_after_ms !== undefined) {
    return {
      ...common,
      answer: `Working: ${state.phase}. ${state.findings} findings so far, no report yet.`,
      why:
        `${state.probes_done} of ${state.probes_planned} probes ran, with ${state.requests} of ` +
        `${state.requests_max} requests.`,
      details: [
        `Call get_result with job_id ${jobId} again, or cancel with cancel: true.`,
        `The report will be at ${state.report_path}.`,
      ],
    };
  }
  return {
    ...common,
    answer: 'No report.',
    why: state.reason ?? 'the audit ended before it had anything to report.',
    details: [...cutOffLines(state), `Job: ${jobId}`],
  };
}

function cutOffLines({ cut_off }: AuditState): readonly string[] {
  if (cut_off === undefined) return [];
  const { probes_looked, probes_hindered, findings_unconfirmed } = cut_off;
  return [
    `Incomplete and unsigned: ${probes_looked} probes ran, ${probes_hindered} failed or were ` +
      `blocked, ${findings_unconfirmed} findings were seen once and not confirmed.`,
  ];
}

function describeResult(state: AuditState, result: AuditResult) {
  const { critical, high, medium, low, info } = result.confirmed;
  const { probes_done: probes, report_path: see, job_id: jobId } = state;
  const sum = critical + high + medium + low + info;
  const found =
    `Audit of ${state.target}: ${sum} confirmed ${sum === 1 ? 'finding' : 'findings'} ` +
    `(critical ${critical}, high ${high}, medium ${medium}, low ${low}, info ${info}).`;
  const reason =
    result.reason === null
      ? `${probes} probes ran; a finding counts only if a second seat reproduced it.`
      : `${result.outcome}: ${result.reason}`;
  const isClean = result.left_behind === '';
  const anchor = [result.anchor_status, result.anchor_reason ?? ''].join('. ').trim();
  return {
    see,
    answer: isClean ? found : result.left_behind,
    why: isClean ? reason : found,
    details: [
      ...(isClean ? [] : [reason]),
      ...cutOffLines(state),
      ...verdictLines(result),
      ...result.findings.map(
        (one) =>
          `- ${one.severity} ${one.category}: ${toReadableLine(one.title)}` +
          `${one.tool === null ? '' : ` (tool ${quoteText(one.tool)})`}. ` +
          toReadableLine(one.remediation),
      ),
      `Not counted: ${result.indicators} indicators, ${result.unreproduced} not reproduced.`,
      'Limits:',
      ...result.limits.map((limit) => `- ${limit}`),
      `Job: ${jobId}`,
    ],
    proofs: [
      `signed by ${result.signer}; Merkle root ${result.root}; report ${see}, also ?format=sarif`,
      `Anchor: ${anchor}`,
    ],
  };
}

function verdictLines({ injection, verdicts }: AuditResult): readonly string[] {
  if (injection !== undefined) return formatResilience(injection);
  return AsiCategory.options.map(
    (category) =>
      `${category} ${ASI_CATEGORIES[category]}: ${verdicts[category] ?? 'not_assessed'}`,
  );
}

function formatRefund({ refund }: AuditState): string {
  return refund === null ? '' : `; Refund due: $${refund.amount}`;
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
