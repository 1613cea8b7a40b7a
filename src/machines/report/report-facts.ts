import type { JsonObject } from '../../domain/common/json.ts';
import { faultOf } from '../../domain/data/fault.ts';
import type { PlannedStep, ReportOutcome, StepEnd } from '../../domain/report/records.ts';
import { codeOf } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  BeginOrder,
  BegunReport,
  ComposedReport,
  ComposeOrder,
  ReportContext,
  StepOrder,
} from './report-context.ts';

/** Returns the next step, or `undefined` if none is left. */
export function nextStep({ steps, ends }: ReportContext): PlannedStep | undefined {
  return steps[ends.length];
}

/** Returns whether the last step failed and was required. */
export function isFatal({ steps, ends }: ReportContext): boolean {
  const last = ends.at(-1);
  return last?.sha === null && steps[ends.length - 1]?.isRequired === true;
}

/** Returns whether any step has a result. */
export function hasFound({ ends }: ReportContext): boolean {
  return ends.some(({ sha }) => sha !== null);
}

/** Stores the plan. */
export function takeBegun(context: ReportContext, { at, steps }: BegunReport): ReportContext {
  return { ...context, begunAt: at, steps: [...steps] };
}

/** Stores the result of a step. */
export function takeEnd(context: ReportContext, end: StepEnd): ReportContext {
  return { ...context, ends: [...context.ends, end] };
}

/** Records a step whose effect failed; the report continues. */
export function takeBroken(context: ReportContext, error: unknown): ReportContext {
  const stepId = nextStep(context)?.stepId ?? '';
  const detail = `The step broke on our side (${codeOf(error)}).`;
  const fault = faultOf('upstream_unavailable', { upstream: stepId, detail });
  const at = context.ends.at(-1)?.at ?? context.begunAt;
  return takeEnd(context, { stepId, sha: null, fault, at });
}

/** Returns the answer that the `compose` effect returned. */
export function composedOf(event: object): ComposedReport | null {
  return 'output' in event ? ((event.output as ComposedReport | undefined) ?? null) : null;
}

/** Returns the reason for an outcome, or `null` if it needs none. */
export function reasonFor(
  outcome: ReportOutcome,
  context: ReportContext,
  event: object,
): string | null {
  switch (outcome) {
    case 'complete':
      return null;
    case 'deadline':
      return 'Time was up before all steps had ended.';
    case 'cancelled':
      return 'The buyer cancelled it.';
    case 'no_answer':
      return composedOf(event)?.headline ?? 'Nothing that was asked has answered.';
    case 'step_failed':
      return failedStep(context);
    case 'failed':
      return `It failed on our side (${codeOf('error' in event ? event.error : null)}).`;
  }
}

/** Returns the event for the payment at the end. Only an answer is charged. */
export function workEvent(context: ReportContext): ActorSend['event'] {
  const { input, composed, outcome } = context;
  switch (outcome) {
    case 'complete':
    case 'deadline':
      return composed === null
        ? failure(context)
        : { type: 'WORK.DONE', resultSha: composed.resultSha };
    case 'cancelled':
      return { type: 'WORK.CANCELLED', refundMicroUsd: input.priceMicroUsd };
    case 'no_answer':
    case 'step_failed':
    case 'failed':
    case null:
      return failure(context);
  }
}

function failure({ reason, composed }: ReportContext): ActorSend['event'] {
  const told = composed === null ? {} : { resultSha: composed.resultSha };
  return { type: 'WORK.FAILED', reason: reason ?? 'the report failed', ...told };
}

/** Input of the `begin` effect. */
export function beginOrder({ input: { reportKind, request } }: ReportContext): BeginOrder {
  return { reportKind, request: request as JsonObject };
}

/** Input of the `step` effect. */
export function stepOrder(context: ReportContext): StepOrder {
  const { begunAt, ends, input } = context;
  return {
    ...beginOrder(context),
    stepId: nextStep(context)?.stepId ?? '',
    ends,
    deadline: begunAt + input.deadlineMs,
  };
}

/** Input of the `compose` effect. */
export function composeOrder(context: ReportContext): ComposeOrder {
  const { input, steps, ends } = context;
  return { ...beginOrder(context), paymentId: input.paymentId, steps, ends };
}

function failedStep({ ends, steps }: ReportContext): string {
  const end = ends.at(-1);
  const title = steps[ends.length - 1]?.title ?? '';
  return `${title}: ${end?.fault?.detail ?? 'it failed.'}`;
}
