import { assign, emit, enqueueActions, setup } from 'xstate';
import type { JsonObject } from '../../../domain/common/json.ts';
import { DAY_MS } from '../../../domain/common/time.ts';
import type { EventType } from '../../../domain/hosting/event-types.ts';
import type { DeployTrigger } from '../../../domain/hosting/records.ts';
import { declareEffect } from '../../common/effect.ts';
import type { ActorCreate, ActorSend } from '../../common/messages.ts';
import type { InstanceInput } from '../instance.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from '../service-event.ts';
import {
  buildIdOf,
  type DeployContext,
  type DeployEffectInput,
  type DeployEffectOutput,
  type DeployEvent,
  type DeployInput,
  deployEventTime,
  deployFailureReasonOf,
  effectOutputOf,
  instanceIdsOfRound,
  releaseIdOf,
  requiredInstances,
} from './context.ts';

/** Retention of an ended deploy, in milliseconds. */
const DEPLOY_RETENTION_MS = 90 * DAY_MS;

const BRANCH_SOURCE = { kind: 'branch' } as const;

/** How a part of a deploy ended, as stated in history events. */
export type EndStatus = 'succeeded' | 'failed' | 'canceled';

/** Parameters of an action that tells such an end. */
export interface EndParams {
  readonly as: EndStatus;
}

/** Effects, guards, actions and delays of the deploy machine. */
export const deploySetup = setup({
  types: {} as {
    context: DeployContext;
    input: DeployInput;
    events: DeployEvent;
    emitted: ServiceHistoryEvent | ActorCreate | ActorSend;
  },
  actors: {
    fetch: declareEffect<DeployEffectInput, DeployEffectOutput>(),
    build: declareEffect<DeployEffectInput, DeployEffectOutput>(),
    preDeploy: declareEffect<DeployEffectInput, DeployEffectOutput>(),
    cutOver: declareEffect<DeployEffectInput, DeployEffectOutput>(),
  },
  guards: {
    mustWait: ({ context }) => context.input.mustWait,
    isBuilt: ({ context }) => context.source.kind === 'release',
    isTurnOfBuilt: ({ event }) => event.type === 'TURN.COME' && event.source.kind === 'release',
    isOk: ({ event }) => effectOutputOf(event)?.ok === true,
    isOkWithPreDeploy: ({ context, event }) =>
      effectOutputOf(event)?.ok === true && hasPreDeployCommand(context),
    isCanceledByHand: ({ event }) => event.type === 'CANCEL' && event.by === undefined,
    hasInstances: ({ context }) => requiredInstances(context) > 0,
    isOfRound: ({ context, event }) => isOfCurrentRound(context, event),
    isLastOfRound: ({ context, event }) =>
      isOfCurrentRound(context, event) &&
      context.instances.every(
        ({ instanceId, isHealthy }) => isHealthy || instanceId === instanceIdOf(event),
      ),
  },
  actions: {
    keepTurn: assign(({ context, event }) => {
      if (event.type !== 'TURN.COME') return context;
      const { source } = event;
      return { source, commit: source.kind === 'release' ? source.commit : null };
    }),
    begin: assign({
      startedAt: ({ context, event }) => deployEventTime(event) ?? context.input.at,
      // Uses the branch if there is no build to serve again.
      source: ({ context: { source } }) => (source.kind === 'same' ? BRANCH_SOURCE : source),
    }),
    keepCommit: assign({
      commit: ({ context, event }) => {
        const end = effectOutputOf(event);
        return (end?.ok === true ? end.commit : undefined) ?? context.commit;
      },
    }),
    keepReason: assign({ reason: ({ event }) => deployFailureReasonOf(event) }),
    forgetReason: assign({ reason: null }),
    finish: assign({
      finishedAt: ({ context, event }) => deployEventTime(event) ?? context.startedAt,
    }),
    beginRound: assign(({ context }) => ({
      round: context.round + 1,
      former: context.instances.map(({ instanceId }) => instanceId),
      instances: instanceIdsOfRound(context, context.round + 1).map((instanceId) => ({
        instanceId,
        isHealthy: false,
      })),
    })),
    keepHealthy: assign({
      instances: ({ context, event }) =>
        context.instances.map((one) =>
          one.instanceId === instanceIdOf(event) ? { ...one, isHealthy: true } : one,
        ),
    }),
    takeBackRound: assign({
      instances: ({ context }) =>
        context.former.map((instanceId) => ({ instanceId, isHealthy: true })),
      former: [],
    }),
    forgetFormer: assign({ former: [] }),
    startInstances: enqueueActions(({ context, enqueue }) => {
      for (const message of createInstanceMessages(context)) enqueue.emit(message);
    }),
    drainInstances: enqueueActions(({ context: { instances, former }, enqueue }) => {
      for (const message of createDrainMessages([...idsOf(instances), ...former]))
        enqueue.emit(message);
    }),
    drainNew: enqueueActions(({ context: { instances }, enqueue }) => {
      for (const message of createDrainMessages(idsOf(instances))) enqueue.emit(message);
    }),
    drainFormer: enqueueActions(({ context: { former }, enqueue }) => {
      for (const message of createDrainMessages(former)) enqueue.emit(message);
    }),
    tellStarted: emit(({ context }) =>
      createDeployEvent(context, 'deploy_started', { trigger: triggerDetails(context) }),
    ),
    tellBuildStarted: emit(({ context }) =>
      createHistoryEvent(context.input.service.id, 'build_started', {
        buildId: buildIdOf(context),
        trigger: triggerDetails(context),
      }),
    ),
    tellFetchFailed: emit(({ context }) => {
      const { repo, branch } = context.input.service;
      return createDeployEndEvent(context, 'artifact_fetch_failed', { repo, branch });
    }),
    tellBuildEnded: emit(({ context }, { as: buildStatus }: EndParams) =>
      createHistoryEvent(context.input.service.id, 'build_ended', {
        buildId: buildIdOf(context),
        buildStatus,
        ...toReasonDetails(context.reason),
      }),
    ),
    tellPreDeployStarted: emit(({ context }) =>
      createDeployEvent(context, 'pre_deploy_started', {}),
    ),
    tellPreDeployEnded: emit(({ context }, { as: preDeployStatus }: EndParams) =>
      createDeployEndEvent(context, 'pre_deploy_ended', { preDeployStatus }),
    ),
    tellDeployEnded: emit(({ context }, { as: deployStatus }: EndParams) =>
      createDeployEndEvent(context, 'deploy_ended', { deployStatus }),
    ),
    /** New instances start beside the serving ones without a build. */
    tellRenewal: emit(({ context }) =>
      createDeployEvent(context, 'zero_downtime_redeploy_started', { trigger: { manual: true } }),
    ),
    tellRenewalEnded: emit(({ context }, { as: status }: EndParams) =>
      createDeployEndEvent(context, 'zero_downtime_redeploy_ended', { status }),
    ),
    answerLive: emit(({ context }) =>
      sendToService(context, 'DEPLOY.LIVE', { releaseId: releaseIdOf(context) }),
    ),
    /** It ended without going live. */
    answerEnded: emit(({ context }) => sendToService(context, 'DEPLOY.ENDED', {})),
  },
  delays: { kept: DEPLOY_RETENTION_MS },
});

function hasPreDeployCommand({ input: { service } }: DeployContext): boolean {
  return service.type === 'web_service' && service.serviceDetails.preDeployCommand !== '';
}

function instanceIdOf(event: DeployEvent): string | undefined {
  return 'instanceId' in event ? event.instanceId : undefined;
}

function isOfCurrentRound({ instances }: DeployContext, event: DeployEvent): boolean {
  return instances.some(({ instanceId }) => instanceId === instanceIdOf(event));
}

function idsOf(instances: DeployContext['instances']): readonly string[] {
  return instances.map(({ instanceId }) => instanceId);
}

function createDeployEvent(
  { input: { deployId, service } }: DeployContext,
  type: EventType,
  details: JsonObject,
): ServiceHistoryEvent {
  return createHistoryEvent(service.id, type, { deployId, ...details });
}

function createDeployEndEvent(
  context: DeployContext,
  type: EventType,
  details: JsonObject,
): ServiceHistoryEvent {
  return createDeployEvent(context, type, { ...details, ...toReasonDetails(context.reason) });
}

function createInstanceMessages(context: DeployContext): readonly ActorCreate[] {
  const { deployId, service, sealedEnv } = context.input;
  return context.instances.map(({ instanceId }) => {
    const input: InstanceInput = {
      instanceId,
      deployId,
      service,
      sealedEnv,
      releaseId: releaseIdOf(context),
      commit: context.commit,
    };
    return { type: 'actor.create', to: instanceId, kind: 'instance', input };
  });
}

function createDrainMessages(instanceIds: readonly string[]): readonly ActorSend[] {
  return instanceIds.map((to) => ({ type: 'actor.send', to, event: { type: 'DRAIN' } }));
}

/** Creates the message to the service that its deploy is live or has ended. */
function sendToService(
  { input: { deployId, service, at }, commit, finishedAt }: DeployContext,
  type: 'DEPLOY.LIVE' | 'DEPLOY.ENDED',
  details: JsonObject,
): ActorSend {
  const event = { type, deployId, ...details, commit, at: finishedAt ?? at };
  return { type: 'actor.send', to: service.id, event };
}

/** Returns the trigger of a deploy as stated in history events. */
function triggerDetails({ input, source }: DeployContext): JsonObject {
  const { trigger, clearCache } = input;
  const causes: Readonly<Record<DeployTrigger, JsonObject>> = {
    api: { manual: true },
    first_build: { firstBuild: true },
    manual: { manual: true },
    new_commit: { newCommit: source.kind === 'commit' ? source.commitId : '' },
    rollback: {
      rollback: true,
      rollbackTargetDeployId: source.kind === 'release' ? source.releaseId : '',
    },
    service_resumed: { serviceResumed: true },
    service_updated: { serviceUpdated: true },
  };
  return { ...causes[trigger], clearCache };
}
