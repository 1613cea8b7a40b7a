import type { AuditOutcome, FindingRef } from '../../domain/audit/order.ts';
import { codeOf } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  AnchorAnswer,
  AuditContext,
  ConsentAnswer,
  ProbeAnswer,
  SealedReport,
} from './audit-context.ts';
import { refundMicroUsd } from './audit-steps.ts';

type ConsentFacts = 'consent' | 'begunAt' | 'requests';
type Facts = Readonly<Record<string, unknown>>;

/** Stands for a finding where there is none; no effect is begun with it. */
export const NO_FINDING: FindingRef = {
  findingId: '',
  category: 'ASI01',
  probeId: '',
  severity: 'info',
  status: 'indicator',
  sha: '',
};

/** The state that the answer of an effect names; `undefined` for other events. */
export function stateOf(event: object): string | undefined {
  const state = outputOf(event)?.['state'];
  return typeof state === 'string' ? state : undefined;
}

/** True when a probe found the target gone behind it. */
export function saysDown(event: object): boolean {
  return outputOf(event)?.['isDown'] === true;
}

/** What a proof of control that holds leaves in the context. */
export function consentOf(event: object): Partial<Pick<AuditContext, ConsentFacts>> {
  const answer = outputOf(event) as ConsentAnswer | undefined;
  if (answer?.state !== 'given') return {};
  return { consent: answer.record, begunAt: answer.at, requests: answer.requests ?? 0 };
}

/** The report as the effect has written it. */
export function sealedOf(event: object): SealedReport | null {
  return (outputOf(event) as SealedReport | undefined) ?? null;
}

/** Hash of the signed report. */
export function signedOf(event: object): string | null {
  const sha = outputOf(event)?.['signedSha'];
  return typeof sha === 'string' ? sha : null;
}

/** Where the report stands on the chain; one that broke is pending, and says so. */
export function anchorOf(event: object): AnchorAnswer {
  const answer = outputOf(event) as AnchorAnswer | undefined;
  if (answer !== undefined) return answer;
  const code = codeOf('error' in event ? event.error : null);
  return { status: 'pending', reason: `The anchor was not confirmed yet (${code}).` };
}

/** True when the audit went as far as it was sold for. */
export function isPublishable({ outcome }: AuditContext): boolean {
  return outcome === 'complete' || outcome === 'deadline';
}

/** True when a second look has seen something: that is told, however the audit ends. */
export function hasConfirmed({ findings }: AuditContext): boolean {
  return findings.some(({ status }) => status === 'confirmed');
}

/** Why an audit ended so; `null` where nothing is to be said. */
export function reasonFor(
  outcome: AuditOutcome,
  context: AuditContext,
  event: object,
): string | null {
  const output = outputOf(event);
  const told = output?.['reason'] ?? (output as Partial<ProbeAnswer> | undefined)?.run?.reason;
  const said = typeof told === 'string' ? told : context.reason;
  switch (outcome) {
    case 'complete':
      return null;
    case 'deadline':
      return 'Time was up before all probes had run.';
    case 'stopped':
      return 'by' in event && typeof event.by === 'string'
        ? `The owner of the target stopped it (${event.by}).`
        : `The owner of the target stopped it. ${said ?? ''}`.trim();
    case 'cancelled':
      return 'The buyer cancelled it.';
    case 'target_down':
      return `The target does not answer any more. ${said ?? ''}`.trim();
    case 'unassessable':
      return 'Too few probes could look at the target.';
    case 'refused':
      return `The proof of control does not hold. ${said ?? ''}`.trim();
    case 'failed':
      return `It failed on our side (${codeOf('error' in event ? event.error : null)}).`;
  }
}

/** What the payment is told at the end. */
export function workEvent(context: AuditContext): ActorSend['event'] {
  switch (context.outcome) {
    case 'complete':
      return { type: 'WORK.DONE' };
    case 'deadline':
      return hasProbesLeft(context) ? shareBack(context) : { type: 'WORK.DONE' };
    case 'stopped':
    case 'cancelled':
      return shareBack(context);
    // Cut off: the buyer gets counts at the most, and pays nothing.
    case 'target_down':
    case 'unassessable':
    case 'refused':
    case 'failed':
    case null:
      return failure(context);
  }
}

function hasProbesLeft({ input, next }: AuditContext): boolean {
  return next < input.probes.length;
}

function shareBack(context: AuditContext): ActorSend['event'] {
  return { type: 'WORK.CANCELLED', refundMicroUsd: refundMicroUsd(context) };
}

function failure({ reason }: AuditContext): ActorSend['event'] {
  return { type: 'WORK.FAILED', reason: reason ?? 'the audit failed' };
}

function outputOf(event: object): Facts | undefined {
  const output = 'output' in event ? event.output : undefined;
  return typeof output === 'object' && output !== null ? (output as Facts) : undefined;
}
