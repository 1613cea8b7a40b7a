import {
  FINDINGS_KEPT_MAX,
  type FindingRef,
  type PlannedProbe,
  type RunRef,
} from '../../domain/audit/order.ts';
import { auditorOf, verifierOf } from '../../domain/audit/plans.ts';
import { basisPoints, fromText, toText } from '../../domain/common/money.ts';
import { codeOf } from '../common/effect.ts';
import type {
  AuditContext,
  ConsentOrder,
  LookAnswer,
  ProbeAnswer,
  ReconAnswer,
  ReplayAnswer,
  TargetOrder,
} from './audit-context.ts';

/** The seat that is at work once all probes have run. */
export const VERIFYING = 'verifying';
/** Of the probes that could say something, so many percent must have looked. */
export const ASSESSED_PERCENT_MIN = 50;
const WHOLE_BPS = 10_000;
const LOOKED: ReadonlySet<RunRef['outcome']> = new Set(['clean', 'found', 'partial']);
const SKIPPED = {
  consent: 'It needs proof that the asker controls the target.',
  budget: 'The requests of this audit are used up.',
} as const;

/** The probe that is next; `undefined` when none is left. */
export function nextProbe({ input, next }: AuditContext): PlannedProbe | undefined {
  return input.probes[next];
}

/** The seat whose turn it is: that of the next probe, or behind the last one the verifiers. */
export function nextSeat(context: AuditContext): string {
  const probe = nextProbe(context);
  if (probe === undefined) return VERIFYING;
  return auditorOf(context.input.plan, probe.category).seat_id;
}

/** Passes over the probes that may not run, and notes why. */
export function skipAhead(context: AuditContext): Partial<AuditContext> {
  const { input, requests } = context;
  const skipped = [...context.skipped];
  let next = context.next;
  for (; next < input.probes.length; next += 1) {
    const probe = input.probes[next];
    if (probe === undefined) break;
    const isOut = input.mode === 'passive' && probe.mode === 'active';
    const isDear = probe.requestsMax > input.requestsMax - requests;
    if (!isOut && !isDear) break;
    const reason = isOut ? SKIPPED.consent : SKIPPED.budget;
    skipped.push({ probeId: probe.probeId, reason });
  }
  return { next, skipped };
}

/** The first look at the target begins the work of the first seat. */
export function takeRecon(context: AuditContext, answer: ReconAnswer): AuditContext {
  const requests = context.requests + answer.requests;
  if (answer.state === 'down') return { ...context, requests };
  const seen = { ...context, requests, recon: answer.recon, firstRecon: answer.recon };
  const ahead = { ...seen, ...skipAhead(seen) };
  return { ...ahead, seat: nextSeat(ahead) };
}

/** Adds what a probe came to, and goes to the next one that may run. */
export function takeRun(context: AuditContext, answer: ProbeAnswer): AuditContext {
  const { run, findings, pings = 0 } = answer;
  return stepOn({ ...context, requests: context.requests + pings }, run, findings);
}

/** Adds a probe whose effect broke; what it sent is not known, so it counts as all it could. */
export function takeBrokenRun(context: AuditContext, error: unknown): AuditContext {
  const probe = nextProbe(context);
  if (probe === undefined) return context;
  const { probeId, requestsMax: requests } = probe;
  const reason = `The probe broke (${codeOf(error)}).`;
  return stepOn(context, { probeId, outcome: 'failed', requests, sha: '', reason }, []);
}

function stepOn(context: AuditContext, run: RunRef, findings: readonly FindingRef[]): AuditContext {
  const after = {
    ...context,
    next: context.next + 1,
    runs: [...context.runs, run],
    findings: [...context.findings, ...findings].slice(0, FINDINGS_KEPT_MAX),
    requests: context.requests + run.requests,
  };
  return { ...after, ...skipAhead(after) };
}

/** Adds what a look between two seats saw. The first change is a finding, and a new recon. */
export function takeLook(context: AuditContext, answer: LookAnswer): AuditContext {
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

/** A look that broke says nothing; the next seat begins. */
export function takeBrokenLook(context: AuditContext): AuditContext {
  return { ...context, seat: nextSeat(context) };
}

/** The finding that is to be seen again next; `undefined` when none is left that may be. */
export function nextReplay(context: AuditContext): FindingRef | undefined {
  const { findings, replayed, input, requests } = context;
  const left = input.requestsMax - requests;
  return findings.find(({ findingId, status, probeId }) => {
    if (status !== 'unreproduced' || replayed.includes(findingId)) return false;
    const probe = input.probes.find((one) => one.probeId === probeId);
    return probe !== undefined && probe.requestsMax <= left;
  });
}

/** The seat that replays a finding. */
export function replaySeat({ input }: AuditContext, { category }: FindingRef): string {
  return verifierOf(input.plan, category).seat_id;
}

/** Puts a finding in the place of what it was before its replay. */
export function takeReplay(context: AuditContext, answer: ReplayAnswer): AuditContext {
  const { finding, requests } = answer;
  const { findingId } = finding;
  return {
    ...context,
    requests: context.requests + requests,
    replayed: [...context.replayed, findingId],
    findings: context.findings.map((one) => (one.findingId === findingId ? finding : one)),
  };
}

/** A replay that broke leaves its finding as it was: nobody has seen it again. */
export function takeBrokenReplay(context: AuditContext): AuditContext {
  const finding = nextReplay(context);
  if (finding === undefined) return context;
  const probe = context.input.probes.find(({ probeId }) => probeId === finding.probeId);
  return {
    ...context,
    requests: context.requests + (probe?.requestsMax ?? 0),
    replayed: [...context.replayed, finding.findingId],
  };
}

/** True when enough of the probes that concern the target could look at it. */
export function isAssessable({ runs }: AuditContext): boolean {
  const looked = runs.filter(({ outcome }) => LOOKED.has(outcome)).length;
  const hindered = runs.filter(({ outcome }) => outcome === 'failed').length;
  return looked > 0 && looked * 100 >= (looked + hindered) * ASSESSED_PERCENT_MIN;
}

/** What goes back when it is ended early: the share of the probes that did not run. */
export function refundMicroUsd(context: AuditContext): string {
  const price = fromText(context.input.priceMicroUsd);
  return toText(basisPoints(price, WHOLE_BPS - ranBps(context)));
}

function ranBps({ input, runs }: AuditContext): number {
  const wanted = input.probes.filter(({ mode }) => input.mode === 'active' || mode === 'passive');
  if (wanted.length === 0) return 0;
  return Math.floor((runs.length * WHOLE_BPS) / wanted.length);
}

/** What each effect that asks the target is given. */
export function targetOrder({ input, requests }: AuditContext): TargetOrder {
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

/** What the proof of control is checked by. */
export function consentOrder({ input }: AuditContext): ConsentOrder {
  const { auditId, target, origin, pinnedAddress, mode, consent, probeSetVersion } = input;
  return { auditId, target, origin, pinnedAddress, mode, consent, probeSetVersion };
}
