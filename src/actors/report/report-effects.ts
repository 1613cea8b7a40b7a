import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/common/time.ts';
import { faultOf, faultOfThrown } from '../../domain/data/fault.ts';
import { PlannedStep, REPORT_STEPS_MAX, type StepEnd } from '../../domain/report/records.ts';
import type { ToolResult } from '../../domain/tool/tool.ts';
import type {
  BeginOrder,
  BegunReport,
  ComposedReport,
  ComposeOrder,
  StepOrder,
} from '../../machines/report/report-context.ts';
import type { Effect, EffectContext } from '../../runtime/engine/types.ts';
import type { WordedAnswer } from '../../tools/data/data-answer.ts';
import { loadKept } from '../common/load-kept.ts';
import type { ReportKind, ReportStep, StepResults } from './report-kind.ts';

/** Maximum number of concurrent steps per report kind, over all buyers. */
export const STEPS_PER_KIND_MAX = 4;
/** Default time limit of a step, in milliseconds. */
const STEP_MS = 2 * MINUTE_MS;
const PROGRESS_CHARS_MAX = 120;

/** Dependencies of report effects. */
export interface ReportDeps {
  readonly kinds: readonly ReportKind[];
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Wraps an answer in the signed envelope of all data tools. */
  word(answer: WordedAnswer, paymentId: string): ToolResult;
}

/** Creates the `begin` effect, which plans the steps. */
export function beginEffect(deps: ReportDeps): Effect<BeginOrder, BegunReport> {
  return {
    run: async ({ reportKind, request }, { now }) => {
      const steps = kindOf(deps, reportKind).steps(request).map(planned);
      const ids = new Set(steps.map(({ stepId }) => stepId));
      invariant(ids.size === steps.length, 'step ids of a report are unique');
      invariant(steps.length > 0 && steps.length <= REPORT_STEPS_MAX, 'a report has 1 to 60 steps');
      return { at: now(), steps };
    },
    timeoutMs: MINUTE_MS,
  };
}

/** Creates the `step` effect, which runs one step and records its result or its failure. */
export function stepEffect(deps: ReportDeps): Effect<StepOrder, StepEnd> {
  return {
    run: async (order, context) => {
      const { reportKind, request, stepId } = order;
      const steps = kindOf(deps, reportKind).steps(request);
      const step = steps.find(({ id }) => id === stepId);
      if (step === undefined) return ended(context, stepId, notHere(stepId));
      try {
        const value = await withDeadline(deps, step, { order, context });
        const sha = await deps.blobs.put(JSON.stringify(value ?? null));
        return { stepId, sha, fault: null, at: context.now() };
      } catch (thrown) {
        if (context.signal.aborted) throw thrown;
        return ended(context, stepId, faultOfThrown(stepId, thrown));
      }
    },
    timeoutMs: HOUR_MS,
    limit: { max: STEPS_PER_KIND_MAX, key: ({ reportKind }) => reportKind },
  };
}

/** Creates the `compose` effect, which builds, signs, and stores the answer from all results. */
export function composeEffect(deps: ReportDeps): Effect<ComposeOrder, ComposedReport> {
  return {
    run: async ({ reportKind, request, paymentId, steps, ends }, { now, signal }) => {
      const kind = kindOf(deps, reportKind);
      const known = steps.map(({ stepId: id, title }) => ({ id, title }));
      const results = resultsOf(deps.blobs, ends);
      const answer = await kind.compose(request, results, { planned: known, now, signal });
      const result = deps.word({ ...answer, tool: kind.tool }, paymentId);
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
export function resultsOf(blobs: Pick<BlobStore, 'get'>, ends: readonly StepEnd[]): StepResults {
  return Object.fromEntries(
    ends.map(({ stepId, sha, fault, at }) => {
      if (sha !== null) {
        return [stepId, { state: 'done', value: loadKept(blobs, sha) as Json, at }];
      }
      return [stepId, { state: 'failed', fault: fault ?? notHere(stepId), at }];
    }),
  );
}

interface Running {
  readonly order: StepOrder;
  readonly context: EffectContext;
}

/** Runs a step until it returns or times out. A step that ignores its signal is abandoned. */
async function withDeadline(
  { blobs, clock }: ReportDeps,
  step: ReportStep<StepOrder['request']>,
  { order, context }: Running,
): Promise<Json> {
  const deadline = Math.min(order.deadline, clock.now() + (step.timeoutMs ?? STEP_MS));
  const late = new AbortController();
  const end = clock.at(deadline, () => late.abort());
  const signal = AbortSignal.any([context.signal, late.signal]);
  try {
    const running = step.run({
      input: order.request,
      earlier: resultsOf(blobs, order.ends),
      signal,
      deadline,
      progress: (text) =>
        context.show({ type: 'report.progress', text: text.slice(0, PROGRESS_CHARS_MAX) }),
    });
    return await Promise.race([running, abortedBy(signal)]);
  } finally {
    end();
    late.abort();
  }
}

function abortedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AppError('EGRESS_TIMEOUT', { message: 'The step timed out.' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function planned({ id: stepId, title, isRequired = false }: ReportStep<never>): PlannedStep {
  return PlannedStep.parse({ stepId, title, isRequired });
}

function ended(
  { now }: EffectContext,
  stepId: string,
  fault: NonNullable<StepEnd['fault']>,
): StepEnd {
  return { stepId, sha: null, fault, at: now() };
}

/** The error for a step that only another version of this program has. */
function notHere(stepId: string) {
  return faultOf('upstream_gone', { upstream: stepId, detail: 'This step no longer exists.' });
}

function kindOf({ kinds }: ReportDeps, name: string): ReportKind {
  const found = kinds.find(({ kind }) => kind === name);
  invariant(found !== undefined, 'every ordered report has a registered kind');
  return found;
}
