import {
  FINDINGS_KEPT_MAX,
  type FindingRef,
  type PlannedProbe,
  type RunRef,
} from '../../domain/audit/order.ts';
import { findAuditor, findVerifier } from '../../domain/audit/plans.ts';
import { formatMicroUsd, parseMicroUsd, takeBasisPoints } from '../../domain/common/money.ts';
import { errorCodeOf } from '../common/effect.ts';
import type {
  AuditContext,
  ConsentInput,
  ProbeOutput,
  RecheckOutput,
  ReconOutput,
  ReplayOutput,
  TargetInput,
} from './audit-context.ts';

/** Seat name while findings are being verified. */
export const VERIFYING_SEAT = 'verifying';
/** Minimum percentage of applicable probes that must have examined the target. */
export const ASSESSED_PERCENT_MIN = 50;
const WHOLE_BPS = 10_000;
const EXAMINED_OUTCOMES: ReadonlySet<RunRef['outcome']> = new Set(['clean', 'found', 'partial']);
const SKIP_REASONS = {
  consent: 'This probe needs proof that the caller controls the target.',
  budget: 'The audit has no requests left.',
} as const;

/** Returns the next probe, or `undefined` if none is left. */
export function nextProbe({ input, next }: AuditContext): PlannedProbe | undefined {
  return input.probes[next];
}

/** Returns the seat of the next probe, or the verifiers after the last one. */
export function nextSeat(context: AuditContext): string {
  const probe = nextProbe(context);
  if (probe === undefined) return VERIFYING_SEAT;
  return findAuditor(context.input.plan, probe.category).seat_id;
}

/** Skips probes that may not run, and records why. */
export function skipUnrunnable(context: AuditContext): Partial<AuditContext> {
  const { input, requests } = context;
  const skipped = [...context.skipped];
  let next = context.next;
  for (; next < input.probes.length; next += 1) {
    const probe = input.probes[next];
    if (probe === undefined) break;
    const isActiveOnly = input.mode === 'passive' && probe.mode === 'active';
    const exceedsBudget = probe.requestsMax > input.requestsMax - requests;
    if (!isActiveOnly && !exceedsBudget) break;
    const reason = isActiveOnly ? SKIP_REASONS.consent : SKIP_REASONS.budget;
    skipped.push({ probeId: probe.probeId, reason });
  }
  return { next, skipped };
}

/** Stores the first recon and starts the first seat. */
export function applyRecon(context: AuditContext, answer: ReconOutput): AuditContext {
  const requests = context.requests + answer.requests;
  if (answer.state === 'down') return { ...context, requests };
  const withRecon = { ...context, requests, recon: answer.recon, firstRecon: answer.recon };
  const advanced = { ...withRecon, ...skipUnrunnable(withRecon) };
  return { ...advanced, seat: nextSeat(advanced) };
}

/** Adds the result of a probe and moves to the next one. */
export function applyRun(context: AuditContext, answer: ProbeOutput): AuditContext {
  const { run, findings, pings = 0 } = answer;
  return advance({ ...context, requests: context.requests + pings }, run, findings);
}

/** Adds a probe whose effect failed. Its traffic is unknown, so it counts with its maximum. */
export function applyFailedRun(context: AuditContext, error: unknown): AuditContext {
  const probe = nextProbe(context);
  if (probe === undefined) return context;
  const { probeId, requestsMax: requests } = probe;
  const reason = `The probe broke (${errorCodeOf(error)}).`;
  return advance(context, { probeId, outcome: 'failed', requests, sha: '', reason }, []);
}

function advance(
  context: AuditContext,
  run: RunRef,
  findings: readonly FindingRef[],
): AuditContext {
  const after = {
    ...context,
    next: context.next + 1,
    runs: [...context.runs, run],
    findings: [...context.findings, ...findings].slice(0, FINDINGS_KEPT_MAX),
    requests: context.requests + run.requests,
  };
  return { ...after, ...skipUnrunnable(after) };
}

/**
 * Adds the result of a check between seats. The first change is a finding and replaces the recon.
 */
export function applyRecheck(context: AuditContext, answer: RecheckOutput): AuditContext {
  const requests = context.requests + answer.requests;
  const seat = nextSeat(context);
  switch (answer.state) {
    case 'same':
      return { ...context, requests, seat, looks: context.looks + 1 };
    case 'changed': {
      const changes = context.changes + 1;
      const isFirst = context.changes === 0;
      const more = isFirst
        ? { recon: answer.recon, findings: [...context.findings, answer.finding] }
        : {};
      return { ...context, requests, seat, changes, ...more };
    }
    case 'down':
    case 'withdrawn':
      return { ...context, requests, reason: answer.reason };
  }
}

/** Ignores a failed check and starts the next seat. */
export function applyFailedRecheck(context: AuditContext): AuditContext {
  return { ...context, seat: nextSeat(context) };
}

/** Returns the next finding to replay, or `undefined` if none is left. */
export function nextReplay(context: AuditContext): FindingRef | undefined {
  const { findings, replayed, input, requests } = context;
  const left = input.requestsMax - requests;
  return findings.find(({ findingId, status, probeId }) => {
    if (status !== 'unreproduced' || replayed.includes(findingId)) return false;
    const probe = input.probes.find((one) => one.probeId === probeId);
    return probe !== undefined && probe.requestsMax <= left;
  });
}

/** Returns the seat that replays a finding. */
export function replaySeat({ input }: AuditContext, { category }: FindingRef): string {
  return findVerifier(input.plan, category).seat_id;
}

/** Replaces a finding by its replayed version. */
export function applyReplay(context: AuditContext, answer: ReplayOutput): AuditContext {
  const { finding, requests } = answer;
  const { findingId } = finding;
  return {
    ...context,
    requests: context.requests + requests,
    replayed: [...context.replayed, findingId],
    findings: context.findings.map((one) => (one.findingId === findingId ? finding : one)),
  };
}

/** Leaves the finding of a failed replay unchanged, as nobody reproduced it. */
export function applyFailedReplay(context: AuditContext): AuditContext {
  const finding = nextReplay(context);
  if (finding === undefined) return context;
  const probe = context.input.probes.find(({ probeId }) => probeId === finding.probeId);
  return {
    ...context,
    requests: context.requests + (probe?.requestsMax ?? 0),
    replayed: [...context.replayed, finding.findingId],
  };
}

/** Returns whether enough applicable probes examined the target. */
export function isAssessable({ runs }: AuditContext): boolean {
  const examinedCount = runs.filter(({ outcome }) => EXAMINED_OUTCOMES.has(outcome)).length;
  const failedCount = runs.filter(({ outcome }) => outcome === 'failed').length;
  return (
    examinedCount > 0 && examinedCount * 100 >= (examinedCount + failedCount) * ASSESSED_PERCENT_MIN
  );
}

/** Returns the refund for an early end: the share of probes that did not run. */
export function computeAuditRefund(context: AuditContext): string {
  const price = parseMicroUsd(context.input.priceMicroUsd);
  return formatMicroUsd(takeBasisPoints(price, WHOLE_BPS - completedBps(context)));
}

function completedBps({ input, runs }: AuditContext): number {
  const applicable = input.probes.filter(
    ({ mode }) => input.mode === 'active' || mode === 'passive',
  );
  if (applicable.length === 0) return 0;
  return Math.floor((runs.length * WHOLE_BPS) / applicable.length);
}

/** Creates the common input of effects that contact the target. */
export function createTargetInput({ input, requests }: AuditContext): TargetInput {
  const { auditId, target, pinnedAddress, seed, requestsMax, allowWrites = false } = input;
  return {
    auditId,
    target,
    pinnedAddress,
    seed,
    allowWrites,
    requestsLeft: Math.max(0, requestsMax - requests),
  };
}

/** Creates the input of the `consent` effect. */
export function createConsentInput({ input }: AuditContext): ConsentInput {
  const { auditId, target, origin, pinnedAddress, mode, consent, probeSetVersion } = input;
  return { auditId, target, origin, pinnedAddress, mode, consent, probeSetVersion };
}
