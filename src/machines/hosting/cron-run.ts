import { assign, enqueueActions, setup } from 'xstate';
import type { CronRun } from '../../domain/hosting/records.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import * as facts from './cron-run-context.ts';
import type { ServiceHistoryEvent } from './service-event.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

type Outcome = Exclude<CronRun['status'], 'pending'>;

const cronRunSetup = setup({
  types: {} as {
    context: facts.CronRunContext;
    input: facts.CronRunInput;
    events: facts.CronRunEvent;
    emitted: ServiceHistoryEvent | ActorSend;
  },
  actors: {
    prepare: declareEffect<facts.CronRunInput, facts.PrepareOutput>(),
    run: declareEffect<facts.CronRunEffectInput, facts.RunOutput>(),
    stop: declareEffect<facts.CronRunEffectInput, { readonly at: number }>(),
  },
  guards: {
    isReady: ({ event }) => facts.prepareOutputOf(event)?.ok === true,
    isSuccess: ({ event }) => facts.runOutputOf(event)?.reason === null,
    isCanceled: ({ context }) => context.outcome === 'canceled',
  },
  actions: {
    keepStart: assign({
      runId: ({ context, event }) => facts.prepareOutputOf(event)?.runId ?? context.runId,
      startedAt: ({ event }) => facts.runEventTime(event),
    }),
    keepReason: assign({ reason: ({ event }) => facts.runFailureReasonOf(event) }),
    keepTooLong: assign({ reason: facts.TIMED_OUT }),
    conclude: assign(({ context, event }, { as }: { readonly as: Outcome }) => ({
      outcome: as,
      finishedAt: facts.runEventTime(event) ?? context.finishedAt,
    })),
    finish: assign({
      finishedAt: ({ context, event }) => facts.runEventTime(event) ?? context.finishedAt,
    }),
    tellStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createRunStartedEvent(context));
    }),
    tellEnded: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createRunEndedEvent(context));
    }),
    answer: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createSuccessMessage(context));
    }),
  },
  delays: { longest: facts.RUN_MAX_MS },
});

const conclude = (as: Outcome) => ({ type: 'conclude', params: { as } }) as const;

/**
 * The machine of one cron job run. The schedule creates it, at most one per job at a time. It
 * survives a restart of the daemon.
 */
export const cronRunMachine = cronRunSetup.createMachine({
  id: 'cron-run',
  context: facts.createRunContext,
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
            input: facts.createRunInput,
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
            input: facts.createRunInput,
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
            input: facts.createRunInput,
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
