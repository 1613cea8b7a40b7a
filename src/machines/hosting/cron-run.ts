import { assign, emit, setup } from 'xstate';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { CronRun, FailureReason } from '../../domain/hosting/records.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from './service-event.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

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

/** Maximum duration of a run, in milliseconds. */
const RUN_MAX_MS = 12 * HOUR_MS;
/** Failure reason of a run that exceeded the maximum duration. */
const TIMED_OUT: FailureReason = {
  timedOut: { seconds: RUN_MAX_MS / SECOND_MS, what: 'the run' },
};

type Outcome = Exclude<CronRun['status'], 'pending'>;

const cronRunSetup = setup({
  types: {} as {
    context: CronRunContext;
    input: CronRunInput;
    events: CronRunEvent;
    emitted: ServiceHistoryEvent | ActorSend;
  },
  actors: {
    prepare: declareEffect<CronRunInput, PrepareOutput>(),
    run: declareEffect<CronRunEffectInput, RunOutput>(),
    stop: declareEffect<CronRunEffectInput, { readonly at: number }>(),
  },
  guards: {
    isReady: ({ event }) => prepareOutputOf(event)?.ok === true,
    isSuccess: ({ event }) => runOutputOf(event)?.reason === null,
    isCanceled: ({ context }) => context.outcome === 'canceled',
  },
  actions: {
    keepStart: assign({
      runId: ({ context, event }) => prepareOutputOf(event)?.runId ?? context.runId,
      startedAt: ({ event }) => runEventTime(event),
    }),
    keepReason: assign({ reason: ({ event }) => runFailureReasonOf(event) }),
    keepTooLong: assign({ reason: TIMED_OUT }),
    conclude: assign(({ context, event }, { as }: { readonly as: Outcome }) => ({
      outcome: as,
      finishedAt: runEventTime(event) ?? context.finishedAt,
    })),
    finish: assign({
      finishedAt: ({ context, event }) => runEventTime(event) ?? context.finishedAt,
    }),
    tellStarted: emit(({ context: { serviceId, runId } }) =>
      createHistoryEvent(serviceId, 'cron_job_run_started', { cronJobRunId: runId }),
    ),
    tellEnded: emit(({ context: { serviceId, runId, outcome, reason } }) =>
      createHistoryEvent(serviceId, 'cron_job_run_ended', {
        cronJobRunId: runId,
        status: outcome,
        ...toReasonDetails(reason),
      }),
    ),
    answer: emit(({ context: { serviceId, finishedAt } }) => ({
      type: 'actor.send',
      to: serviceId,
      event: { type: 'RUN.SUCCEEDED', at: finishedAt ?? 0 },
    })),
  },
  delays: { longest: RUN_MAX_MS },
});

const conclude = (as: Outcome) => ({ type: 'conclude', params: { as } }) as const;

/**
 * The machine of one cron job run. The schedule creates it, at most one per job at a time. It
 * survives a restart of the daemon.
 */
export const cronRunMachine = cronRunSetup.createMachine({
  id: 'cron-run',
  context: createRunContext,
  initial: 'pending',
  states: {
    pending: {
      description: 'The run is starting, running or stopping.',
      initial: 'preparing',
      states: {
        preparing: {
          description: 'Finds the live version.',
          invoke: {
            src: 'prepare',
            id: 'prepare',
            input: createRunInput,
            onDone: [
              { guard: 'isReady', target: 'running', actions: ['keepStart', 'tellStarted'] },
              {
                target: '#cron-run.unsuccessful',
                actions: ['keepStart', 'keepReason', conclude('unsuccessful')],
              },
            ],
            onError: {
              target: '#cron-run.unsuccessful',
              actions: ['keepReason', conclude('unsuccessful')],
            },
          },
          on: { CANCEL: { target: '#cron-run.canceled', actions: conclude('canceled') } },
        },
        running: {
          description: 'Runs the command.',
          invoke: {
            src: 'run',
            id: 'run',
            input: createRunInput,
            onDone: [
              {
                guard: 'isSuccess',
                target: '#cron-run.successful',
                actions: [conclude('successful'), 'tellEnded', 'answer'],
              },
              {
                target: '#cron-run.unsuccessful',
                actions: ['keepReason', conclude('unsuccessful'), 'tellEnded'],
              },
            ],
            onError: {
              target: '#cron-run.unsuccessful',
              actions: ['keepReason', conclude('unsuccessful'), 'tellEnded'],
            },
          },
          on: { CANCEL: { target: 'stopping', actions: conclude('canceled') } },
          after: {
            longest: { target: 'stopping', actions: ['keepTooLong', conclude('unsuccessful')] },
          },
        },
        stopping: {
          description: 'Stops the command and its child processes.',
          invoke: {
            src: 'stop',
            id: 'stop',
            input: createRunInput,
            onDone: [
              {
                guard: 'isCanceled',
                target: '#cron-run.canceled',
                actions: ['finish', 'tellEnded'],
              },
              { target: '#cron-run.unsuccessful', actions: ['finish', 'tellEnded'] },
            ],
            onError: [
              { guard: 'isCanceled', target: '#cron-run.canceled', actions: 'tellEnded' },
              { target: '#cron-run.unsuccessful', actions: 'tellEnded' },
            ],
          },
        },
      },
    },
    successful: {
      description: 'The command exited with code 0.',
      type: 'final',
    },
    unsuccessful: {
      description: 'The command failed, timed out, or could not start.',
      type: 'final',
    },
    canceled: {
      description: 'Cancelled on request.',
      type: 'final',
    },
  },
});

/** Creates the initial context of a run. */
function createRunContext({ input }: { readonly input: CronRunInput }): CronRunContext {
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
function createRunInput({ context }: { readonly context: CronRunContext }): CronRunEffectInput {
  const { serviceId, runId } = context;
  return { serviceId, runId };
}

/** Returns the output of `prepare` in an event, if any. */
function prepareOutputOf(event: CronRunEvent): PrepareOutput | undefined {
  return event.type === 'xstate.done.actor.prepare' ? event.output : undefined;
}

/** Returns the output of `run` in an event, if any. */
function runOutputOf(event: CronRunEvent): RunOutput | undefined {
  return event.type === 'xstate.done.actor.run' ? event.output : undefined;
}

/** Returns why a run failed. */
function runFailureReasonOf(event: CronRunEvent): FailureReason {
  const start = prepareOutputOf(event);
  if (start?.ok === false) return start.reason;
  return runOutputOf(event)?.reason ?? { evicted: 'the machine could not go on with it' };
}

/** Returns the time of an event, if it has one. */
function runEventTime(event: CronRunEvent): number | null {
  if ('at' in event) return event.at;
  return 'output' in event ? event.output.at : null;
}
