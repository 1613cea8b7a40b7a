import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { FailureReason } from '../../domain/hosting/event-types.ts';
import type { Deploy, Service } from '../../domain/hosting/records.ts';
import type { ActorSend } from '../common/messages.ts';
import { reasonDetails, type ServiceEventTold, told } from './service-event.ts';

/** First and longest wait before a program that ended is started again, in milliseconds. */
export const BACKOFF_MS = { first: SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Ends in a row, without a quiet time between them, after which it is not started again. */
export const CRASHES_MAX = 10;
/** Time after which the ends before do not count any more, in milliseconds. */
export const QUIET_MS = 10 * MINUTE_MS;

/** What an instance actor is created with. */
export interface InstanceInput {
  readonly instanceId: string;
  readonly deployId: string;
  readonly service: Service;
  /** Its variables, encrypted. */
  readonly sealedEnv: string;
  /** Names the folder of the build. */
  readonly releaseId: string;
  readonly commit: Deploy['commit'];
}

/** What the effects of an instance are given. */
export interface InstanceWork extends InstanceInput {
  /** Starts so far, this one among them: each has a process of its own. */
  readonly start: number;
}

/** How a start ended: with a healthy program, or why not. `at`: milliseconds. */
export type StartEnd =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly at: number; readonly reason: FailureReason };

/** Why a program that was healthy is not there any more. `at`: milliseconds. */
export interface InstanceEnd {
  readonly at: number;
  readonly reason: FailureReason;
  /** The whole machine was restarted in between. */
  readonly isHostRestart: boolean;
}

/** Memory of an instance. */
export interface InstanceContext {
  readonly input: InstanceInput;
  readonly start: number;
  readonly wasHealthy: boolean;
  readonly healthyAt: number | null;
  /** Ends in a row. */
  readonly crashes: number;
  readonly reason: FailureReason | null;
  readonly endedAt: number | null;
}

/** Everything that an instance takes. */
export type InstanceEvent =
  | { readonly type: 'DRAIN' }
  | { readonly type: 'xstate.done.actor.start'; readonly output: StartEnd }
  | { readonly type: 'xstate.done.actor.watch'; readonly output: InstanceEnd }
  | { readonly type: 'xstate.done.actor.stop'; readonly output: unknown }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** An instance before its first start. */
export function newInstance({ input }: { readonly input: InstanceInput }): InstanceContext {
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

/** What the effects of an instance are given now. */
export function instanceWork({ context }: { readonly context: InstanceContext }): InstanceWork {
  return { ...context.input, start: context.start };
}

/** What an end makes of an instance's memory. */
export function ended(context: InstanceContext, event: InstanceEvent): Partial<InstanceContext> {
  const { at, reason } = endIn(event) ?? { at: null, reason: LOST };
  const { healthyAt, crashes } = context;
  const wasQuiet = healthyAt !== null && at !== null && at - healthyAt >= QUIET_MS;
  return {
    reason,
    endedAt: at ?? context.endedAt,
    healthyAt: null,
    crashes: wasQuiet ? 1 : crashes + 1,
  };
}

/** Whether an end is one too many. */
export function isStuck(context: InstanceContext, event: InstanceEvent): boolean {
  return (ended(context, event).crashes ?? 0) >= CRASHES_MAX;
}

/** Tells the history that an instance is healthy. */
export function available({ input, start }: InstanceContext): ServiceEventTold {
  const { service, instanceId: instanceID } = input;
  return told(service.id, 'server_available', { instanceID, start });
}

/** Tells the history that an instance ended; a restart of the machine is told as such. */
export function failed({ input, reason }: InstanceContext, event: InstanceEvent): ServiceEventTold {
  const isHost = event.type === 'xstate.done.actor.watch' && event.output.isHostRestart;
  const { service, instanceId: instanceID } = input;
  const details = { instanceID, ...reasonDetails(reason) };
  return told(service.id, isHost ? 'server_hardware_failure' : 'server_failed', details);
}

/** Tells the history that an instance is started again by itself. */
export function restarted({ input, start }: InstanceContext): ServiceEventTold {
  const { service, instanceId: instanceID } = input;
  return told(service.id, 'server_restarted', { instanceID, start, triggeredByUser: false });
}

/** Tells the deploy that its instance is healthy, or never was. */
export function answer({ input, healthyAt, endedAt, reason }: InstanceContext): ActorSend {
  const { instanceId, deployId: to } = input;
  const event =
    healthyAt === null
      ? { type: 'INSTANCE.FAILED', instanceId, reason: reason ?? LOST, at: endedAt ?? 0 }
      : { type: 'INSTANCE.HEALTHY', instanceId, at: healthyAt };
  return { type: 'actor.send', to, event };
}

/** Tells the service that an instance is not started any more. */
export function stuck({ input, endedAt }: InstanceContext): ActorSend {
  const { instanceId, deployId, service } = input;
  const event = { type: 'INSTANCE.STUCK', instanceId, deployId, at: endedAt ?? 0 };
  return { type: 'actor.send', to: service.id, event };
}

const LOST: FailureReason = { evicted: 'the machine lost it' };

function endIn(event: InstanceEvent): { at: number; reason: FailureReason } | undefined {
  if (event.type === 'xstate.done.actor.watch') return event.output;
  if (event.type !== 'xstate.done.actor.start' || event.output.ok) return undefined;
  return event.output;
}
