import { assign, emit, setup } from 'xstate';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Deploy, FailureReason, Service } from '../../domain/hosting/records.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from './service-event.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Input of an instance actor. */
export interface InstanceInput {
  readonly instanceId: string;
  readonly deployId: string;
  readonly service: Service;
  /** Encrypted environment variables. */
  readonly sealedEnv: string;
  /** Name of the build folder. */
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
}

/** Input of the instance effects. */
export interface InstanceEffectInput extends InstanceInput {
  /** Number of starts including this one; each has its own process. */
  readonly start: number;
}

/** Output of the `start` effect. `at`: milliseconds. */
export type StartOutput =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly at: number; readonly reason: FailureReason };

/** Output of the `watch` effect: why a healthy program is gone. `at`: milliseconds. */
export interface WatchOutput {
  readonly at: number;
  readonly reason: FailureReason;
  /** True if the host restarted in the meantime. */
  readonly isHostRestart: boolean;
}

/** Context of an instance actor. */
export interface InstanceContext {
  readonly input: InstanceInput;
  readonly start: number;
  readonly wasHealthy: boolean;
  readonly healthyAt: number | null;
  /** Number of consecutive crashes. */
  readonly crashes: number;
  readonly reason: FailureReason | null;
  readonly endedAt: number | null;
}

/** Events that an instance accepts. */
export type InstanceEvent =
  | { readonly type: 'DRAIN' }
  | { readonly type: 'xstate.done.actor.start'; readonly output: StartOutput }
  | { readonly type: 'xstate.done.actor.watch'; readonly output: WatchOutput }
  | { readonly type: 'xstate.done.actor.stop'; readonly output: unknown }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** Retention of a stopped instance, in milliseconds. */
const INSTANCE_RETENTION_MS = 7 * DAY_MS;
/** First and longest wait before an exited program is restarted, in milliseconds. */
const BACKOFF_MS = { first: SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Consecutive crashes after which a program is not restarted. */
export const CRASHES_MAX = 10;
/** Uptime after which earlier crashes no longer count, in milliseconds. */
export const STABLE_MS = 10 * MINUTE_MS;
const LOST_REASON: FailureReason = { evicted: 'the machine lost it' };

const instanceSetup = setup({
  types: {} as {
    context: InstanceContext;
    input: InstanceInput;
    events: InstanceEvent;
    emitted: ServiceHistoryEvent | ActorSend;
  },
  actors: {
    start: declareEffect<InstanceEffectInput, StartOutput>(),
    watch: declareEffect<InstanceEffectInput, WatchOutput>(),
    stop: declareEffect<InstanceEffectInput, unknown>(),
  },
  guards: {
    isUp: ({ event }) => event.type === 'xstate.done.actor.start' && event.output.ok,
    isUpFirst: ({ context, event }) =>
      event.type === 'xstate.done.actor.start' && event.output.ok && !context.wasHealthy,
    isFirst: ({ context }) => !context.wasHealthy,
    isStuck: ({ context, event }) => isCrashLooping(context, event),
  },
  actions: {
    keepUp: assign({
      wasHealthy: true,
      healthyAt: ({ event }) => (event.type === 'xstate.done.actor.start' ? event.output.at : null),
      reason: null,
    }),
    keepEnd: assign(({ context, event }) => applyExit(context, event)),
    countStart: assign({ start: ({ context }) => context.start + 1 }),
    /** Tells the deploy that its instance is healthy, or failed to start. */
    answer: emit(({ context: { input, healthyAt, endedAt, reason } }) => {
      const { instanceId, deployId: to } = input;
      const event =
        healthyAt === null
          ? { type: 'INSTANCE.FAILED', instanceId, reason: reason ?? LOST_REASON, at: endedAt ?? 0 }
          : { type: 'INSTANCE.HEALTHY', instanceId, at: healthyAt };
      return { type: 'actor.send', to, event };
    }),
    tellAvailable: emit(({ context: { input, start } }) => {
      const { service, instanceId: instanceID } = input;
      return createHistoryEvent(service.id, 'server_available', { instanceID, start });
    }),
    /** A host restart has an event type of its own. */
    tellFailed: emit(({ context: { input, reason }, event }) => {
      const isHost = event.type === 'xstate.done.actor.watch' && event.output.isHostRestart;
      const type = isHost ? 'server_hardware_failure' : 'server_failed';
      const details = { instanceID: input.instanceId, ...toReasonDetails(reason) };
      return createHistoryEvent(input.service.id, type, details);
    }),
    tellRestarted: emit(({ context: { input, start } }) => {
      const details = { instanceID: input.instanceId, start, triggeredByUser: false };
      return createHistoryEvent(input.service.id, 'server_restarted', details);
    }),
    /** Tells the service that the instance is no longer restarted. */
    tellStuck: emit(({ context: { input, endedAt } }) => {
      const { instanceId, deployId, service } = input;
      const event = { type: 'INSTANCE.STUCK', instanceId, deployId, at: endedAt ?? 0 };
      return { type: 'actor.send', to: service.id, event };
    }),
  },
  delays: {
    backoff: ({ context }) =>
      Math.min(BACKOFF_MS.longest, BACKOFF_MS.first * 2 ** (context.crashes - 1)),
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
  input: createInstanceEffectInput,
  onDone: { target: 'stopped' },
  onError: { target: 'stopped' },
} as const;

/**
 * The machine of one running copy of a service. A failed first start fails the deploy. Afterwards
 * the program is restarted with growing waits until it crashes too often.
 */
export const instanceMachine = instanceSetup.createMachine({
  id: 'instance',
  context: createInstanceContext,
  initial: 'starting',
  states: {
    starting: {
      description: 'Starts the program and waits until it is healthy.',
      invoke: {
        src: 'start',
        id: 'start',
        input: createInstanceEffectInput,
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
        input: createInstanceEffectInput,
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
        input: createInstanceEffectInput,
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

/** Creates the initial context of an instance. */
function createInstanceContext({ input }: { readonly input: InstanceInput }): InstanceContext {
  return {
    input,
    start: 1,
    wasHealthy: false,
    healthyAt: null,
    crashes: 0,
    reason: null,
    endedAt: null,
  };
}

/** Creates the input of the instance effects. */
function createInstanceEffectInput({
  context,
}: {
  readonly context: InstanceContext;
}): InstanceEffectInput {
  return { ...context.input, start: context.start };
}

/** Returns the context changes after an exit. */
function applyExit(context: InstanceContext, event: InstanceEvent): Partial<InstanceContext> {
  const { at, reason } = exitOf(event) ?? { at: null, reason: LOST_REASON };
  const { healthyAt, crashes } = context;
  const wasStable = healthyAt !== null && at !== null && at - healthyAt >= STABLE_MS;
  return {
    reason,
    endedAt: at ?? context.endedAt,
    healthyAt: null,
    crashes: wasStable ? 1 : crashes + 1,
  };
}

/** Returns whether an exit reaches the crash limit. */
function isCrashLooping(context: InstanceContext, event: InstanceEvent): boolean {
  return (applyExit(context, event).crashes ?? 0) >= CRASHES_MAX;
}

function exitOf(event: InstanceEvent): { at: number; reason: FailureReason } | undefined {
  if (event.type === 'xstate.done.actor.watch') return event.output;
  if (event.type !== 'xstate.done.actor.start' || event.output.ok) return undefined;
  return event.output;
}
