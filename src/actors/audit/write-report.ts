import { truncateText } from '../../domain/audit/evidence.ts';
import { FINDINGS_KEPT_MAX, isCutOffByTarget } from '../../domain/audit/order.ts';
import { AUDIT_PLANS, findAuditor } from '../../domain/audit/plans.ts';
import { formatLeftBehind, type LeftBehind } from '../../domain/audit/probe/left-behind.ts';
import { Recon } from '../../domain/audit/probe/recon.ts';
import { ASI_CATEGORIES, Finding, ProbeRun } from '../../domain/audit/records.ts';
import {
  AuditReport,
  computeReportRoot,
  countConfirmed,
  countTrials,
  toReportCategory,
  toReportFinding,
  toReportProbe,
} from '../../domain/audit/report.ts';
import { fitFindings } from '../../domain/audit/report-size.ts';
import { computeVerdicts } from '../../domain/audit/verdict.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import type { SealReportInput } from '../../machines/audit/audit-context.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';
import { createRugPullRun, RUG_PULL_PROBE } from './session/definition-changes.ts';

/** Maximum length of the target's own name and version, in characters. */
const SERVER_NAME_CHARS_MAX = 200;
const INJECTION_LIMITS = [
  'Resistance applies to these texts, places, and this time; a model may answer differently.',
  'Texts of one class are similar: if their answers correlate, the interval is too narrow.',
  'An answer that shows the joined word counts as obeyed, even if it only reports the order.',
  'A place that is meant to follow its caller obeys direct orders by design: consider the ' +
    'indirect classes there.',
  'Indirect orders were placed in the data of the call; nothing was planted elsewhere.',
] as const;
const NOT_REACHED = 'The audit ended before this probe ran.';
const WITHHELD = 'The target cut the audit off; the results of this probe are not published.';

/**
 * Writes the report of an audit from its stored results. The same order and time always give the
 * same report.
 *
 * @param endedAt - Unix milliseconds.
 */
export function writeReport(
  order: SealReportInput,
  blobs: Pick<BlobStore, 'get'>,
  endedAt: number,
): AuditReport {
  const { input, reason } = order;
  const runs = selectRuns(order, blobs);
  const findings = selectFindings(order).map(({ sha }) =>
    Finding.parse(loadStoredJson(blobs, sha)),
  );
  const shown = {
    findings: fitFindings(findings.map(toReportFinding)),
    categories: computeVerdicts(runs, findings).map((verdict) =>
      toReportCategory(verdict, {
        name: ASI_CATEGORIES[verdict.category],
        seat: findAuditor(input.plan, verdict.category).seat_id,
      }),
    ),
    probes: runs.map(toReportProbe),
  };
  return AuditReport.parse({
    left_behind: formatLeftBehind(readLeftBehind(order, blobs)),
    v: 1,
    kind: 'ProofOfAuditReport',
    audit_id: input.auditId,
    plan: input.plan,
    mode: 'rules_only',
    ...targetFields(order, blobs),
    scope: {
      mode: input.mode,
      allow_writes: input.allowWrites === true,
      categories: input.categories,
      requests_max: input.requestsMax,
      deadline_s: Math.ceil(input.deadlineMs / SECOND_MS),
    },
    consent: consentFields(order),
    probe_set_version: input.probeSetVersion,
    seats: AUDIT_PLANS[input.plan].seats,
    outcome: order.outcome ?? 'failed',
    reason,
    begun_at: toIsoTime(order.begunAt),
    ended_at: toIsoTime(endedAt),
    requests: order.requests,
    confirmed: countConfirmed(shown.findings),
    ...shown,
    ...(input.plan === 'injection' ? { injection: countTrials(shown.probes) } : {}),
    limits: listLimits(order),
    root: computeReportRoot(shown),
  });
}

/**
 * Collects what probes and replays could not clean up, including those without published findings.
 */
function readLeftBehind(
  order: SealReportInput,
  blobs: Pick<BlobStore, 'get'>,
): readonly LeftBehind[] {
  const runs = order.runs.filter(({ sha }) => sha !== '');
  const ofRuns = runs.map(({ sha }) => ProbeRun.parse(loadStoredJson(blobs, sha)).leftBehind);
  const ofReplays = order.findings.map(
    ({ sha }) => Finding.parse(loadStoredJson(blobs, sha)).leftBehind,
  );
  return [...ofRuns, ...ofReplays].flatMap((left) => left ?? []);
}

/** Returns all findings; after a cut-off, only the confirmed ones. */
function selectFindings({ findings, outcome }: SealReportInput): SealReportInput['findings'] {
  return isCutOffByTarget(outcome)
    ? findings.filter(({ status }) => status === 'confirmed')
    : findings;
}

/** Returns every planned probe, whether it ran or not, and the check between seats. */
function selectRuns(order: SealReportInput, blobs: Pick<BlobStore, 'get'>): readonly ProbeRun[] {
  const { input, looks, changes } = order;
  const hasRugPull = changes > 0 || input.categories.includes(RUG_PULL_PROBE.category);
  const planned = input.probes.map((probe): ProbeRun => {
    const { probeId, version: probeVersion, category, mode } = probe;
    const facts = { probeId, probeVersion, category, mode, subjects: [], findings: [] };
    const ran = order.runs.find((run) => run.probeId === probeId);
    if (ran !== undefined && isCutOffByTarget(order.outcome)) {
      return { ...facts, outcome: 'blocked', reason: WITHHELD, requests: ran.requests };
    }
    if (ran === undefined) {
      const skipped = order.skipped.find((one) => one.probeId === probeId);
      const reason = skipped?.reason ?? NOT_REACHED;
      return { ...facts, outcome: 'blocked', reason, requests: 0 };
    }
    const { sha, outcome, reason, requests } = ran;
    if (sha === '') return { ...facts, outcome, reason, requests };
    return ProbeRun.parse(loadStoredJson(blobs, sha));
  });
  return [...planned, ...(hasRugPull ? [createRugPullRun(looks, changes)] : [])];
}

function targetFields({ input, firstRecon }: SealReportInput, blobs: Pick<BlobStore, 'get'>) {
  const recon = firstRecon === null ? null : Recon.parse(loadStoredJson(blobs, firstRecon.sha));
  const greeting = recon?.greeting ?? null;
  return {
    target: {
      address: input.target,
      origin: input.origin,
      pinned_address: input.pinnedAddress,
      server: greeting === null ? null : serverFields(greeting.serverInfo),
      protocol_version: greeting === null ? null : shortText(greeting.protocolVersion),
      tools: recon?.tools.length ?? 0,
      is_cut: recon?.isCut ?? false,
    },
    target_pins: recon?.pins ?? { whole: '', tools: {}, others: {}, greeting: null },
  };
}

function serverFields({ name, version }: { readonly name: string; readonly version: string }) {
  return { name: shortText(name), version: shortText(version) };
}

function shortText(text: string): string {
  return truncateText(text, SERVER_NAME_CHARS_MAX);
}

function consentFields({ consent }: SealReportInput) {
  if (consent === null || consent.kind === 'passive') return null;
  const { kind, ref, provenAt, expiresAt } = consent;
  const expires_at = expiresAt === null ? null : toIsoTime(expiresAt);
  return { kind, ref, proven_at: toIsoTime(provenAt), expires_at };
}

function listLimits({
  input,
  outcome,
  changes,
  firstRecon,
  findings,
}: SealReportInput): readonly string[] {
  return [
    'Seats are programs with fixed rules; no language model was used.',
    'A pass means that these probes found nothing at this time, not that nothing exists.',
    'Only confirmed findings count: another seat has reproduced them.',
    ...(input.plan === 'injection' ? INJECTION_LIMITS : []),
    ...(input.mode === 'passive'
      ? ['Passive: only what the target discloses to any client was read; no tool was called.']
      : []),
    ...(input.categories.length < Object.keys(ASI_CATEGORIES).length
      ? [`Only ${input.categories.join(', ')} were in scope.`]
      : []),
    ...(firstRecon?.access === 'refused'
      ? ['The target requires credentials; it was examined from outside.']
      : []),
    ...(changes > 0 ? ['The target changed during the audit; the pins are from before.'] : []),
    ...(findings.length >= FINDINGS_KEPT_MAX
      ? [`Findings after the first ${FINDINGS_KEPT_MAX} were not stored.`]
      : []),
    ...(outcome === 'complete' ? [] : ['Ended early; what had not run is not assessed.']),
    ...(isCutOffByTarget(outcome)
      ? ['The target cut the audit off: only confirmed findings are published, free of charge.']
      : []),
  ];
}
