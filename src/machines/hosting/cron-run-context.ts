import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { CronRun, FailureReason } from '../../domain/hosting/records.ts';
import type { ActorSend } from '../common/messages.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from './service-event.ts';

/** Maximum duration of a run, in milliseconds. */
export const RUN_MAX_MS = 12 * HOUR_MS;

/** Input of a run, started by the schedule or by hand. */
export interface CronRunInput {
  /** The cron job's service id. */
  readonly serviceId: string;
}

/** Output of the `prepare` effect: the public run id, or why there is no live version. */
export type PrepareOutput =
  | {
      readonly ok: true;
      readonly runId: string;
      /** Milliseconds. */
      readonly at: number;
    }
  | {
      readonly ok: false;
      readonly runId: string;
      readonly at: number;
      readonly reason: FailureReason;
    };

/** Input of the effects of a run. */
export interface CronRunEffectInput extends CronRunInput {
  readonly runId: string;
}

/** How a run ended by itself. `at`: milliseconds. */
export interface RunOutput {
  readonly at: number;
  /** `null` if the run succeeded. */
  readonly reason: FailureReason | null;
}

/** Context of a run actor. */
export interface CronRunContext extends CronRunEffectInput {
  /** Milliseconds; `null` before the start. */
  readonly startedAt: number | null;
  readonly outcome: CronRun['status'];
  readonly reason: FailureReason | null;
  readonly finishedAt: number | null;
}

/** Events that a run accepts. */
export type CronRunEvent =
  | { readonly type: 'CANCEL'; readonly at: number }
  | { readonly type: 'xstate.done.actor.prepare'; readonly output: PrepareOutput }
  | { readonly type: 'xstate.done.actor.run'; readonly output: RunOutput }
  | { readonly type: 'xstate.done.actor.stop'; readonly output: { readonly at: number } }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** Creates the initial context of a run. */
export function createRunContext({ input }: { readonly input: CronRunInput }): CronRunContext {
  const { serviceId } = input;
  return {
    serviceId,
    runId: '',
    startedAt: null,
    outcome: 'pending',
    reason: null,
    finishedAt: null,
  };
}

/** Creates the input of the effects of a run. */
export function createRunInput({
  context,
}: {
  readonly context: CronRunContext;
}): CronRunEffectInput {
  const { serviceId, runId } = context;
  return { serviceId, runId };
}

/** Returns the output of `prepare` in an event, if any. */
export function prepareOutputOf(event: CronRunEvent): PrepareOutput | undefined {
  return event.type === 'xstate.done.actor.prepare' ? event.output : undefined;
}

/** Returns the output of `run` in an event, if any. */
export function runOutputOf(event: CronRunEvent): RunOutput | undefined {
  return event.type === 'xstate.done.actor.run' ? event.output : undefined;
}

/** Returns why a run failed. */
export function runFailureReasonOf(event: CronRunEvent): FailureReason {
  const start = prepareOutputOf(event);
  if (start?.ok === false) return start.reason;
  return runOutputOf(event)?.reason ?? { evicted: 'the machine could not go on with it' };
}

/** Returns the time of an event, if it has one. */
export function runEventTime(event: CronRunEvent): number | null {
  if ('at' in event) return event.at;
  return 'output' in event ? event.output.at : null;
}

/** Creates the history event for a started run. */
export function createRunStartedEvent({ serviceId, runId }: CronRunContext): ServiceHistoryEvent {
  return createHistoryEvent(serviceId, 'cron_job_run_started', { cronJobRunId: runId });
}

/** Creates the history event for an ended run. */
export function createRunEndedEvent({
  serviceId,
  runId,
  outcome,
  reason,
}: CronRunContext): ServiceHistoryEvent {
  const details = { cronJobRunId: runId, status: outcome, ...toReasonDetails(reason) };
  return createHistoryEvent(serviceId, 'cron_job_run_ended', details);
}

/** Creates the message to the cron job about a successful run. */
export function createSuccessMessage({ serviceId, finishedAt }: CronRunContext): ActorSend {
  const event = { type: 'RUN.SUCCEEDED', at: finishedAt ?? 0 };
  return { type: 'actor.send', to: serviceId, event };
}

/** Failure reason of a run that exceeded the maximum duration. */
export const TIMED_OUT: FailureReason = {
  timedOut: { seconds: RUN_MAX_MS / SECOND_MS, what: 'the run' },
};
