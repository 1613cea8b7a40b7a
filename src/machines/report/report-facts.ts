import type { JsonObject } from '../../domain/common/json.ts';
import { createDataFailure } from '../../domain/data/data-failure.ts';
import type { PlannedStep, ReportOutcome, StepOutcome } from '../../domain/report/records.ts';
import { errorCodeOf } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  BeginInput,
  ComposedReport,
  ComposeInput,
  ReportContext,
  ReportPlan,
  StepInput,
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
export function applyPlan(context: ReportContext, { at, steps }: ReportPlan): ReportContext {
  return { ...context, begunAt: at, steps: [...steps] };
}

/** Stores the result of a step. */
export function applyStepEnd(context: ReportContext, end: StepOutcome): ReportContext {
  return { ...context, ends: [...context.ends, end] };
}

/** Records a step whose effect failed; the report continues. */
export function applyStepFailure(context: ReportContext, error: unknown): ReportContext {
  const stepId = nextStep(context)?.stepId ?? '';
  const detail = `The step broke on our side (${errorCodeOf(error)}).`;
  const fault = createDataFailure('upstream_unavailable', { upstream: stepId, detail });
  const at = context.ends.at(-1)?.at ?? context.begunAt;
  return applyStepEnd(context, { stepId, sha: null, fault, at });
}

/** Returns the answer that the `compose` effect returned. */
export function composedReportOf(event: object): ComposedReport | null {
  return 'output' in event ? ((event.output as ComposedReport | undefined) ?? null) : null;
}

/** Returns the reason for an outcome, or `null` if it needs none. */
export function reportOutcomeReason(
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
      return composedReportOf(event)?.headline ?? 'Nothing that was asked has answered.';
    case 'step_failed':
      return describeFailedStep(context);
    case 'failed':
      return `It failed on our side (${errorCodeOf('error' in event ? event.error : null)}).`;
  }
}

/** Returns the event for the payment at the end. Only an answer is charged. */
export function createReportWorkEvent(context: ReportContext): ActorSend['event'] {
  const { input, composed, outcome } = context;
  switch (outcome) {
    case 'complete':
    case 'deadline':
      return composed === null
        ? createFailureEvent(context)
        : { type: 'WORK.DONE', resultSha: composed.resultSha };
    case 'cancelled':
      return { type: 'WORK.CANCELLED', refundMicroUsd: input.priceMicroUsd };
    case 'no_answer':
    case 'step_failed':
    case 'failed':
    case null:
      return createFailureEvent(context);
  }
}

function createFailureEvent({ reason, composed }: ReportContext): ActorSend['event'] {
  const resultRef = composed === null ? {} : { resultSha: composed.resultSha };
  return { type: 'WORK.FAILED', reason: reason ?? 'the report failed', ...resultRef };
}

/** Input of the `begin` effect. */
export function createBeginInput({ input: { reportKind, request } }: ReportContext): BeginInput {
  return { reportKind, request: request as JsonObject };
}

/** Input of the `step` effect. */
export function createStepInput(context: ReportContext): StepInput {
  const { begunAt, ends, input } = context;
  return {
    ...createBeginInput(context),
    stepId: nextStep(context)?.stepId ?? '',
    ends,
    deadline: begunAt + input.deadlineMs,
  };
}

/** Input of the `compose` effect. */
export function createComposeInput(context: ReportContext): ComposeInput {
  const { input, steps, ends } = context;
  const { paymentId, priceMicroUsd } = input;
  return { ...createBeginInput(context), paymentId, priceMicroUsd, steps, ends };
}

function describeFailedStep({ ends, steps }: ReportContext): string {
  const end = ends.at(-1);
  const title = steps[ends.length - 1]?.title ?? '';
  return `${title}: ${end?.fault?.detail ?? 'it failed.'}`;
}
