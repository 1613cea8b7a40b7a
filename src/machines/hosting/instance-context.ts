import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Deploy, FailureReason, Service } from '../../domain/hosting/records.ts';
import type { ActorSend } from '../common/messages.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from './service-event.ts';

/** First and longest wait before an exited program is restarted, in milliseconds. */
export const BACKOFF_MS = { first: SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Consecutive crashes after which a program is not restarted. */
export const CRASHES_MAX = 10;
/** Uptime after which earlier crashes no longer count, in milliseconds. */
export const STABLE_MS = 10 * MINUTE_MS;

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

/** Creates the initial context of an instance. */
export function createInstanceContext({
  input,
}: {
  readonly input: InstanceInput;
}): InstanceContext {
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
export function createInstanceEffectInput({
  context,
}: {
  readonly context: InstanceContext;
}): InstanceEffectInput {
  return { ...context.input, start: context.start };
}

/** Returns the context changes after an exit. */
export function applyExit(
  context: InstanceContext,
  event: InstanceEvent,
): Partial<InstanceContext> {
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
export function isCrashLooping(context: InstanceContext, event: InstanceEvent): boolean {
  return (applyExit(context, event).crashes ?? 0) >= CRASHES_MAX;
}

/** Creates the history event for a healthy instance. */
export function createAvailableEvent({ input, start }: InstanceContext): ServiceHistoryEvent {
  const { service, instanceId: instanceID } = input;
  return createHistoryEvent(service.id, 'server_available', { instanceID, start });
}

/** Creates the history event for an exited instance; a host restart has its own type. */
export function createFailedEvent(
  { input, reason }: InstanceContext,
  event: InstanceEvent,
): ServiceHistoryEvent {
  const isHost = event.type === 'xstate.done.actor.watch' && event.output.isHostRestart;
  const { service, instanceId: instanceID } = input;
  const details = { instanceID, ...toReasonDetails(reason) };
  return createHistoryEvent(
    service.id,
    isHost ? 'server_hardware_failure' : 'server_failed',
    details,
  );
}

/** Creates the history event for an automatic restart. */
export function createRestartedEvent({ input, start }: InstanceContext): ServiceHistoryEvent {
  const { service, instanceId: instanceID } = input;
  return createHistoryEvent(service.id, 'server_restarted', {
    instanceID,
    start,
    triggeredByUser: false,
  });
}

/** Creates the message to the deploy that its instance is healthy, or failed to start. */
export function createStartResultMessage({
  input,
  healthyAt,
  endedAt,
  reason,
}: InstanceContext): ActorSend {
  const { instanceId, deployId: to } = input;
  const event =
    healthyAt === null
      ? { type: 'INSTANCE.FAILED', instanceId, reason: reason ?? LOST_REASON, at: endedAt ?? 0 }
      : { type: 'INSTANCE.HEALTHY', instanceId, at: healthyAt };
  return { type: 'actor.send', to, event };
}

/** Creates the message to the service that an instance is no longer restarted. */
export function createStuckMessage({ input, endedAt }: InstanceContext): ActorSend {
  const { instanceId, deployId, service } = input;
  const event = { type: 'INSTANCE.STUCK', instanceId, deployId, at: endedAt ?? 0 };
  return { type: 'actor.send', to: service.id, event };
}

const LOST_REASON: FailureReason = { evicted: 'the machine lost it' };

function exitOf(event: InstanceEvent): { at: number; reason: FailureReason } | undefined {
  if (event.type === 'xstate.done.actor.watch') return event.output;
  if (event.type !== 'xstate.done.actor.start' || event.output.ok) return undefined;
  return event.output;
}
