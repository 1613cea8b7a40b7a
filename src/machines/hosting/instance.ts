import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import * as facts from './instance-context.ts';
import type { ServiceHistoryEvent } from './service-event.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Retention of a stopped instance, in milliseconds. */
export const INSTANCE_RETENTION_MS = 7 * DAY_MS;

const instanceSetup = setup({
  types: {} as {
    context: facts.InstanceContext;
    input: facts.InstanceInput;
    events: facts.InstanceEvent;
    emitted: ServiceHistoryEvent | ActorSend;
  },
  actors: {
    start: declareEffect<facts.InstanceEffectInput, facts.StartOutput>(),
    watch: declareEffect<facts.InstanceEffectInput, facts.WatchOutput>(),
    stop: declareEffect<facts.InstanceEffectInput, unknown>(),
  },
  guards: {
    isUp: ({ event }) => event.type === 'xstate.done.actor.start' && event.output.ok,
    isUpFirst: ({ context, event }) =>
      event.type === 'xstate.done.actor.start' && event.output.ok && !context.wasHealthy,
    isFirst: ({ context }) => !context.wasHealthy,
    isStuck: ({ context, event }) => facts.isCrashLooping(context, event),
  },
  actions: {
    keepUp: assign({
      wasHealthy: true,
      healthyAt: ({ event }) => (event.type === 'xstate.done.actor.start' ? event.output.at : null),
      reason: null,
    }),
    keepEnd: assign(({ context, event }) => facts.applyExit(context, event)),
    countStart: assign({ start: ({ context }) => context.start + 1 }),
    answer: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createStartResultMessage(context));
    }),
    tellAvailable: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createAvailableEvent(context));
    }),
    tellFailed: enqueueActions(({ context, event, enqueue }) => {
      enqueue.emit(facts.createFailedEvent(context, event));
    }),
    tellRestarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createRestartedEvent(context));
    }),
    tellStuck: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.createStuckMessage(context));
    }),
  },
  delays: {
    backoff: ({ context }) =>
      Math.min(facts.BACKOFF_MS.longest, facts.BACKOFF_MS.first * 2 ** (context.crashes - 1)),
    kept: INSTANCE_RETENTION_MS,
  },
});

/** Transitions after an unexpected exit. */
const ON_EXIT = [
  {
    guard: 'isStuck',
    target: 'stuck_crashlooping',
    actions: ['keepEnd', 'tellFailed', 'tellStuck'],
  },
  { target: 'failed', actions: ['keepEnd', 'tellFailed'] },
] as const;

/** Removes what is left of the instance, whatever the result. */
const STOP_EFFECT = {
  src: 'stop',
  id: 'stop',
  input: facts.createInstanceEffectInput,
  onDone: { target: 'stopped' },
  onError: { target: 'stopped' },
} as const;

/**
 * The machine of one running copy of a service. A failed first start fails the deploy. Afterwards
 * the program is restarted with growing waits until it crashes too often.
 */
export const instanceMachine = instanceSetup.createMachine({
  id: 'instance',
  context: facts.createInstanceContext,
  initial: 'starting',
  states: {
    starting: {
      description: 'Starts the program and waits until it is healthy.',
      invoke: {
        src: 'start',
        id: 'start',
        input: facts.createInstanceEffectInput,
        onDone: [
          {
            guard: 'isUpFirst',
            target: 'healthy',
            actions: ['keepUp', 'answer', 'tellAvailable'],
          },
          { guard: 'isUp', target: 'healthy', actions: ['keepUp', 'tellAvailable'] },
          { guard: 'isFirst', target: 'clearing', actions: ['keepEnd', 'tellFailed', 'answer'] },
          ...ON_EXIT,
        ],
        onError: [
          { guard: 'isFirst', target: 'clearing', actions: ['keepEnd', 'tellFailed', 'answer'] },
          ...ON_EXIT,
        ],
      },
      on: { DRAIN: { target: 'draining' } },
    },
    healthy: {
      description: 'Responds; the router may send it requests.',
      tags: ['serving'],
      invoke: {
        src: 'watch',
        id: 'watch',
        input: facts.createInstanceEffectInput,
        onDone: ON_EXIT,
        onError: ON_EXIT,
      },
      on: { DRAIN: { target: 'draining' } },
    },
    failed: {
      description: 'Exited unexpectedly; cleans up first.',
      invoke: {
        src: 'stop',
        id: 'stop',
        input: facts.createInstanceEffectInput,
        onDone: { target: 'backoff' },
        onError: { target: 'backoff' },
      },
      on: { DRAIN: { target: 'draining' } },
    },
    backoff: {
      description: 'Waits before a restart; consecutive crashes lengthen the wait.',
      after: { backoff: { target: 'starting', actions: ['countStart', 'tellRestarted'] } },
      on: { DRAIN: { target: 'stopped' } },
    },
    stuck_crashlooping: {
      description: 'Crashed too often; not restarted, and the service is notified.',
      invoke: STOP_EFFECT,
    },
    draining: {
      description: 'Gets no new requests, finishes pending ones, then stops.',
      invoke: STOP_EFFECT,
    },
    clearing: {
      description: 'Never became healthy; cleans up.',
      invoke: STOP_EFFECT,
    },
    stopped: {
      description: 'No longer running.',
      tags: ['ended'],
      after: { kept: { target: 'gone' } },
    },
    gone: {
      description: 'No longer retained.',
      type: 'final',
    },
  },
});
