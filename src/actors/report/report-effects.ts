import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/common/time.ts';
import { createDataFailure, toDataFailure } from '../../domain/data/data-failure.ts';
import { PlannedStep, REPORT_STEPS_MAX, type StepOutcome } from '../../domain/report/records.ts';
import { REPORTS_PATH } from '../../domain/report/state.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type {
  BeginInput,
  ComposedReport,
  ComposeInput,
  ReportPlan,
  StepInput,
} from '../../machines/report/report-context.ts';
import type { Effect, EffectContext } from '../../runtime/engine/types.ts';
import type { AnsweredCall, ReadableAnswer } from '../../tools/data/data-answer.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';
import type { Services } from '../common/services.ts';
import type { ReportKind, ReportStep, StepResults } from './report-kind.ts';

/** Maximum number of concurrent steps per report kind, over all buyers. */
export const STEPS_PER_KIND_MAX = 4;
/** Default time limit of a step, in milliseconds. */
const STEP_MS = 2 * MINUTE_MS;
const PROGRESS_CHARS_MAX = 120;

/** Dependencies of report effects. */
export interface ReportDeps extends Pick<Services, 'blobs' | 'clock'> {
  readonly kinds: readonly ReportKind[];
  /** Wraps an answer in the signed envelope of all data tools. */
  createResult(answer: ReadableAnswer, call: AnsweredCall): ToolResult;
}

/** Creates the `begin` effect, which plans the steps. */
export function createBeginEffect(deps: ReportDeps): Effect<BeginInput, ReportPlan> {
  return {
    run: async ({ reportKind, request }, { now }) => {
      const steps = findReportKind(deps, reportKind).steps(request).map(planStep);
      const ids = new Set(steps.map(({ stepId }) => stepId));
      invariant(ids.size === steps.length, 'step ids of a report are unique');
      invariant(steps.length > 0 && steps.length <= REPORT_STEPS_MAX, 'a report has 1 to 60 steps');
      return { at: now(), steps };
    },
    timeoutMs: MINUTE_MS,
  };
}

/** Creates the `step` effect, which runs one step and records its result or its failure. */
export function createStepEffect(deps: ReportDeps): Effect<StepInput, StepOutcome> {
  return {
    run: async (order, context) => {
      const { reportKind, request, stepId } = order;
      const steps = findReportKind(deps, reportKind).steps(request);
      const step = steps.find(({ id }) => id === stepId);
      if (step === undefined) return failedStep(context, stepId, missingStepFault(stepId));
      try {
        const value = await runWithDeadline(deps, step, { order, context });
        const sha = await deps.blobs.put(JSON.stringify(value ?? null));
        return { stepId, sha, fault: null, at: context.now() };
      } catch (thrown) {
        if (context.signal.aborted) throw thrown;
        return failedStep(context, stepId, toDataFailure(stepId, thrown));
      }
    },
    timeoutMs: HOUR_MS,
    limit: { max: STEPS_PER_KIND_MAX, key: ({ reportKind }) => reportKind },
  };
}

/** Creates the `compose` effect, which builds, signs, and stores the answer from all results. */
export function createComposeEffect(deps: ReportDeps): Effect<ComposeInput, ComposedReport> {
  return {
    run: async (order, { actorId, now, signal }) => {
      const { reportKind, request, paymentId, priceMicroUsd: price, steps, ends } = order;
      const kind = findReportKind(deps, reportKind);
      const known = steps.map(({ stepId: id, title }) => ({ id, title }));
      const results = collectResults(deps.blobs, ends);
      const answer = await kind.compose(request, results, { planned: known, now, signal });
      const result = deps.createResult(
        { ...answer, tool: kind.tool },
        { paymentId, price, page: `${REPORTS_PATH}/${actorId}` },
      );
      return {
        resultSha: await deps.blobs.put(JSON.stringify(result)),
        isAnswer: result.isError !== true,
        headline: answer.headline,
      };
    },
    timeoutMs: 10 * MINUTE_MS,
  };
}

/** Returns the results of the steps by step id. */
export function collectResults(
  blobs: Pick<BlobStore, 'get'>,
  ends: readonly StepOutcome[],
): StepResults {
  return Object.fromEntries(
    ends.map(({ stepId, sha, fault, at }) => {
      if (sha !== null) {
        return [stepId, { state: 'done', value: loadStoredJson(blobs, sha) as Json, at }];
      }
      return [stepId, { state: 'failed', fault: fault ?? missingStepFault(stepId), at }];
    }),
  );
}

interface RunningStep {
  readonly order: StepInput;
  readonly context: EffectContext;
}

/** Runs a step until it returns or times out. A step that ignores its signal is abandoned. */
async function runWithDeadline(
  { blobs, clock }: ReportDeps,
  step: ReportStep<StepInput['request']>,
  { order, context }: RunningStep,
): Promise<Json> {
  const deadline = Math.min(order.deadline, clock.now() + (step.timeoutMs ?? STEP_MS));
  const timeout = new AbortController();
  const end = clock.at(deadline, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    const running = step.run({
      input: order.request,
      earlier: collectResults(blobs, order.ends),
      signal,
      deadline,
      progress: (text) =>
        context.show({ type: 'report.progress', text: text.slice(0, PROGRESS_CHARS_MAX) }),
    });
    return await Promise.race([running, rejectOnAbort(signal)]);
  } finally {
    end();
    timeout.abort();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AppError('EGRESS_TIMEOUT', { message: 'The step timed out.' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function planStep({ id: stepId, title, isRequired = false }: ReportStep<never>): PlannedStep {
  return PlannedStep.parse({ stepId, title, isRequired });
}

function failedStep(
  { now }: EffectContext,
  stepId: string,
  fault: NonNullable<StepOutcome['fault']>,
): StepOutcome {
  return { stepId, sha: null, fault, at: now() };
}

/** The error for a step that only another version of this program has. */
function missingStepFault(stepId: string) {
  return createDataFailure('upstream_gone', {
    upstream: stepId,
    detail: 'This step no longer exists.',
  });
}

function findReportKind({ kinds }: ReportDeps, name: string): ReportKind {
  const found = kinds.find(({ kind }) => kind === name);
  invariant(found !== undefined, 'every ordered report has a registered kind');
  return found;
}
