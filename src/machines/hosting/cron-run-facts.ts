import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { FailureReason } from '../../domain/hosting/event-types.ts';
import type { CronRun } from '../../domain/hosting/records.ts';
import type { ActorSend } from '../common/messages.ts';
import { reasonDetails, type ServiceEventTold, told } from './service-event.ts';

/** Longest run, in milliseconds. */
export const RUN_MAX_MS = 12 * HOUR_MS;

/** What a run is created with: by the schedule, or by hand. */
export interface CronRunInput {
  /** The cron job. */
  readonly serviceId: string;
}

/** What a run needs to begin: its name outside, and the version that is live. */
export type CronRunStart =
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

/** What the effects of a run are given. */
export interface CronRunWork extends CronRunInput {
  readonly runId: string;
}

/** How a run ended by itself. `at`: milliseconds. */
export interface CronRunEnd {
  readonly at: number;
  /** None where it was successful. */
  readonly reason: FailureReason | null;
}

/** Memory of a run. */
export interface CronRunContext extends CronRunWork {
  /** Milliseconds; `null` before it began. */
  readonly startedAt: number | null;
  readonly outcome: CronRun['status'];
  readonly reason: FailureReason | null;
  readonly finishedAt: number | null;
}

/** Everything that a run takes. */
export type CronRunEvent =
  | { readonly type: 'CANCEL'; readonly at: number }
  | { readonly type: 'xstate.done.actor.prepare'; readonly output: CronRunStart }
  | { readonly type: 'xstate.done.actor.run'; readonly output: CronRunEnd }
  | { readonly type: 'xstate.done.actor.stop'; readonly output: { readonly at: number } }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** A run that begins. */
export function newRun({ input }: { readonly input: CronRunInput }): CronRunContext {
  const { serviceId } = input;
  return {
    ...{ serviceId, runId: '', startedAt: null },
    outcome: 'pending',
    reason: null,
    finishedAt: null,
  };
}

/** What the effects of a run are given. */
export function runWork({ context }: { readonly context: CronRunContext }): CronRunWork {
  const { serviceId, runId } = context;
  return { serviceId, runId };
}

/** What a run has to begin with. */
export function startIn(event: CronRunEvent): CronRunStart | undefined {
  return event.type === 'xstate.done.actor.prepare' ? event.output : undefined;
}

/** How the program of a run ended. */
export function endIn(event: CronRunEvent): CronRunEnd | undefined {
  return event.type === 'xstate.done.actor.run' ? event.output : undefined;
}

/** Why a run is not successful, from whatever told of it. */
export function reasonIn(event: CronRunEvent): FailureReason {
  const start = startIn(event);
  if (start?.ok === false) return start.reason;
  return endIn(event)?.reason ?? { evicted: 'the machine could not go on with it' };
}

/** When it happened, where the event says it. */
export function timeIn(event: CronRunEvent): number | null {
  if ('at' in event) return event.at;
  return 'output' in event ? event.output.at : null;
}

/** Tells the history that a run began. */
export function runStarted({ serviceId, runId }: CronRunContext): ServiceEventTold {
  return told(serviceId, 'cron_job_run_started', { cronJobRunId: runId });
}

/** Tells the history how a run ended. */
export function runEnded({ serviceId, runId, outcome, reason }: CronRunContext): ServiceEventTold {
  const details = { cronJobRunId: runId, status: outcome, ...reasonDetails(reason) };
  return told(serviceId, 'cron_job_run_ended', details);
}

/** Tells the cron job that a run was successful. */
export function successMessage({ serviceId, finishedAt }: CronRunContext): ActorSend {
  const event = { type: 'RUN.SUCCEEDED', at: finishedAt ?? 0 };
  return { type: 'actor.send', to: serviceId, event };
}

/** A run that took too long. */
export const TOO_LONG: FailureReason = {
  timedOut: { seconds: RUN_MAX_MS / SECOND_MS, what: 'the run' },
};
