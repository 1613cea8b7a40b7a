import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import { effect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import * as facts from './instance-facts.ts';
import type { ServiceEventTold } from './service-event.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Retention of a stopped instance, in milliseconds. */
export const INSTANCE_KEPT_MS = 7 * DAY_MS;

const instanceSetup = setup({
  types: {} as {
    context: facts.InstanceContext;
    input: facts.InstanceInput;
    events: facts.InstanceEvent;
    emitted: ServiceEventTold | ActorSend;
  },
  actors: {
    start: effect<facts.InstanceWork, facts.StartEnd>(),
    watch: effect<facts.InstanceWork, facts.InstanceEnd>(),
    stop: effect<facts.InstanceWork, unknown>(),
  },
  guards: {
    isUp: ({ event }) => event.type === 'xstate.done.actor.start' && event.output.ok,
    isUpFirst: ({ context, event }) =>
      event.type === 'xstate.done.actor.start' && event.output.ok && !context.wasHealthy,
    isFirst: ({ context }) => !context.wasHealthy,
    isStuck: ({ context, event }) => facts.isStuck(context, event),
  },
  actions: {
    keepUp: assign({
      wasHealthy: true,
      healthyAt: ({ event }) => (event.type === 'xstate.done.actor.start' ? event.output.at : null),
      reason: null,
    }),
    keepEnd: assign(({ context, event }) => facts.ended(context, event)),
    countStart: assign({ start: ({ context }) => context.start + 1 }),
    answer: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.answer(context));
    }),
    tellAvailable: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.available(context));
    }),
    tellFailed: enqueueActions(({ context, event, enqueue }) => {
      enqueue.emit(facts.failed(context, event));
    }),
    tellRestarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.restarted(context));
    }),
    tellStuck: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(facts.stuck(context));
    }),
  },
  delays: {
    backoff: ({ context }) =>
      Math.min(facts.BACKOFF_MS.longest, facts.BACKOFF_MS.first * 2 ** (context.crashes - 1)),
    kept: INSTANCE_KEPT_MS,
  },
});

/** Transitions after an unexpected exit. */
const ENDED = [
  {
    guard: 'isStuck',
    target: 'stuck_crashlooping',
    actions: ['keepEnd', 'tellFailed', 'tellStuck'],
  },
  { target: 'failed', actions: ['keepEnd', 'tellFailed'] },
] as const;

/** Removes what is left of the instance, whatever the result. */
const STOP = {
  src: 'stop',
  id: 'stop',
  input: facts.instanceWork,
  onDone: { target: 'stopped' },
  onError: { target: 'stopped' },
} as const;

/**
 * The machine of one running copy of a service. A failed first start fails the deploy. Afterwards
 * the program is restarted with growing waits until it crashes too often.
 */
export const instanceMachine = instanceSetup.createMachine({
  id: 'instance',
  context: facts.newInstance,
  initial: 'starting',
  states: {
    starting: {
      description: 'Starts the program and waits until it is healthy.',
      invoke: {
        src: 'start',
        id: 'start',
        input: facts.instanceWork,
        onDone: [
          {
            guard: 'isUpFirst',
            target: 'healthy',
            actions: ['keepUp', 'answer', 'tellAvailable'],
          },
          { guard: 'isUp', target: 'healthy', actions: ['keepUp', 'tellAvailable'] },
          { guard: 'isFirst', target: 'clearing', actions: ['keepEnd', 'tellFailed', 'answer'] },
          ...ENDED,
        ],
        onError: [
          { guard: 'isFirst', target: 'clearing', actions: ['keepEnd', 'tellFailed', 'answer'] },
          ...ENDED,
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
        input: facts.instanceWork,
        onDone: ENDED,
        onError: ENDED,
      },
      on: { DRAIN: { target: 'draining' } },
    },
    failed: {
      description: 'Exited unexpectedly; cleans up first.',
      invoke: {
        src: 'stop',
        id: 'stop',
        input: facts.instanceWork,
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
      invoke: STOP,
    },
    draining: {
      description: 'Gets no new requests, finishes pending ones, then stops.',
      invoke: STOP,
    },
    clearing: {
      description: 'Never became healthy; cleans up.',
      invoke: STOP,
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
