import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import {
  type DeployContext,
  type DeployEffectInput,
  type DeployEffectOutput,
  type DeployEvent,
  type DeployInput,
  deployEventTime,
  deployFailureReasonOf,
  effectOutputOf,
  instanceIdsOfRound,
  requiredInstances,
} from './deploy-context.ts';
import * as tell from './deploy-messages.ts';
import type { ServiceHistoryEvent } from './service-event.ts';

/** Retention of an ended deploy, in milliseconds. */
const DEPLOY_RETENTION_MS = 90 * DAY_MS;

const BRANCH_SOURCE = { kind: 'branch' } as const;

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
      for (const message of tell.createInstanceMessages(context)) enqueue.emit(message);
    }),
    drainInstances: enqueueActions(({ context, enqueue }) => {
      const ids = context.instances.map(({ instanceId }) => instanceId);
      for (const message of tell.createDrainMessages([...ids, ...context.former]))
        enqueue.emit(message);
    }),
    drainNew: enqueueActions(({ context, enqueue }) => {
      const ids = context.instances.map(({ instanceId }) => instanceId);
      for (const message of tell.createDrainMessages(ids)) enqueue.emit(message);
    }),
    drainFormer: enqueueActions(({ context, enqueue }) => {
      for (const message of tell.createDrainMessages(context.former)) enqueue.emit(message);
    }),
    tellStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createDeployStartedEvent(context));
    }),
    tellBuildStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createBuildStartedEvent(context));
    }),
    tellFetchFailed: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createFetchFailedEvent(context));
    }),
    tellBuildEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.EndStatus }) => {
        enqueue.emit(tell.createBuildEndedEvent(context, as));
      },
    ),
    tellPreDeployStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createPreDeployStartedEvent(context));
    }),
    tellPreDeployEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.EndStatus }) => {
        enqueue.emit(tell.createPreDeployEndedEvent(context, as));
      },
    ),
    tellDeployEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.EndStatus }) => {
        enqueue.emit(tell.createDeployEndedEvent(context, as));
      },
    ),
    tellRenewal: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createRenewalStartedEvent(context));
    }),
    tellRenewalEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.EndStatus }) => {
        enqueue.emit(tell.createRenewalEndedEvent(context, as));
      },
    ),
    answerLive: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createLiveMessage(context));
    }),
    answerEnded: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.createEndedMessage(context));
    }),
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
