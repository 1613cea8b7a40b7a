import type { AuditOutcome, FindingRef } from '../../domain/audit/order.ts';
import { errorCodeOf } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  AnchorOutput,
  AuditContext,
  ConsentOutput,
  ProbeOutput,
  WrittenReport,
} from './audit-context.ts';
import { computeAuditRefund } from './audit-steps.ts';

type ConsentFacts = 'consent' | 'begunAt' | 'requests';
type Facts = Readonly<Record<string, unknown>>;

/** Placeholder finding; no effect starts with it. */
export const NO_FINDING: FindingRef = {
  findingId: '',
  category: 'ASI01',
  probeId: '',
  severity: 'info',
  status: 'indicator',
  sha: '',
};

/** Returns the `state` in an effect's output; `undefined` for other events. */
export function outputState(event: object): string | undefined {
  const state = readOutput(event)?.['state'];
  return typeof state === 'string' ? state : undefined;
}

/** Returns whether a probe reported that the target is down. */
export function isReportedDown(event: object): boolean {
  return readOutput(event)?.['isDown'] === true;
}

/** Returns the context changes of a valid proof of control. */
export function consentUpdate(event: object): Partial<Pick<AuditContext, ConsentFacts>> {
  const answer = readOutput(event) as ConsentOutput | undefined;
  if (answer?.state !== 'given') return {};
  return { consent: answer.record, begunAt: answer.at, requests: answer.requests ?? 0 };
}

/** Returns the report that the `seal` effect wrote. */
export function readWrittenReport(event: object): WrittenReport | null {
  return (readOutput(event) as WrittenReport | undefined) ?? null;
}

/** Returns the hash of the signed report. */
export function readSignedSha(event: object): string | null {
  const sha = readOutput(event)?.['signedSha'];
  return typeof sha === 'string' ? sha : null;
}

/** Returns the anchor state of the report; a failed effect is pending with a reason. */
export function readAnchor(event: object): AnchorOutput {
  const answer = readOutput(event) as AnchorOutput | undefined;
  if (answer !== undefined) return answer;
  const code = errorCodeOf('error' in event ? event.error : null);
  return { status: 'pending', reason: `The anchor was not confirmed yet (${code}).` };
}

/** Returns whether the audit ran to completion or to its deadline. */
export function isPublishable({ outcome }: AuditContext): boolean {
  return outcome === 'complete' || outcome === 'deadline';
}

/** Returns whether a finding is confirmed; confirmed findings are always reported. */
export function hasConfirmed({ findings }: AuditContext): boolean {
  return findings.some(({ status }) => status === 'confirmed');
}

/** Returns the reason for an outcome, or `null` if it needs none. */
export function auditOutcomeReason(
  outcome: AuditOutcome,
  context: AuditContext,
  event: object,
): string | null {
  const output = readOutput(event);
  const reportedReason =
    output?.['reason'] ?? (output as Partial<ProbeOutput> | undefined)?.run?.reason;
  const detail = typeof reportedReason === 'string' ? reportedReason : context.reason;
  switch (outcome) {
    case 'complete':
      return null;
    case 'deadline':
      return 'Time was up before all probes had run.';
    case 'stopped':
      return 'by' in event && typeof event.by === 'string'
        ? `The owner of the target stopped it (${event.by}).`
        : `The owner of the target stopped it. ${detail ?? ''}`.trim();
    case 'cancelled':
      return 'The buyer cancelled it.';
    case 'target_down':
      return `The target does not answer any more. ${detail ?? ''}`.trim();
    case 'unassessable':
      return 'Too few probes could look at the target.';
    case 'refused':
      return `The proof of control does not hold. ${detail ?? ''}`.trim();
    case 'failed':
      return `It failed on our side (${errorCodeOf('error' in event ? event.error : null)}).`;
  }
}

/** Returns the event for the payment at the end. */
export function createAuditWorkEvent(context: AuditContext): ActorSend['event'] {
  switch (context.outcome) {
    case 'complete':
      return { type: 'WORK.DONE' };
    case 'deadline':
      return hasProbesLeft(context) ? createPartialRefund(context) : { type: 'WORK.DONE' };
    case 'stopped':
    case 'cancelled':
      return createPartialRefund(context);
    // Cut off by the target: the buyer gets at most counts and is not charged.
    case 'target_down':
    case 'unassessable':
    case 'refused':
    case 'failed':
    case null:
      return createFailureEvent(context);
  }
}

function hasProbesLeft({ input, next }: AuditContext): boolean {
  return next < input.probes.length;
}

function createPartialRefund(context: AuditContext): ActorSend['event'] {
  return { type: 'WORK.CANCELLED', refundMicroUsd: computeAuditRefund(context) };
}

function createFailureEvent({ reason }: AuditContext): ActorSend['event'] {
  return { type: 'WORK.FAILED', reason: reason ?? 'the audit failed' };
}

function readOutput(event: object): Facts | undefined {
  const output = 'output' in event ? event.output : undefined;
  return typeof output === 'object' && output !== null ? (output as Facts) : undefined;
}
