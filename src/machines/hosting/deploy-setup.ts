import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import { effect } from '../common/effect.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import {
  type DeployContext,
  type DeployEvent,
  type DeployInput,
  type DeployWork,
  endOf,
  instancesWanted,
  reasonOf,
  roundOf,
  timeOf,
  type WorkEnd,
} from './deploy-facts.ts';
import * as tell from './deploy-told.ts';
import type { ServiceEventTold } from './service-event.ts';

/** Retention of an ended deploy, in milliseconds. */
const DEPLOY_KEPT_MS = 90 * DAY_MS;

const BRANCH = { kind: 'branch' } as const;

/** Effects, guards, actions and delays of the deploy machine. */
export const deploySetup = setup({
  types: {} as {
    context: DeployContext;
    input: DeployInput;
    events: DeployEvent;
    emitted: ServiceEventTold | ActorCreate | ActorSend;
  },
  actors: {
    fetch: effect<DeployWork, WorkEnd>(),
    build: effect<DeployWork, WorkEnd>(),
    preDeploy: effect<DeployWork, WorkEnd>(),
    cutOver: effect<DeployWork, WorkEnd>(),
  },
  guards: {
    mustWait: ({ context }) => context.input.mustWait,
    isBuilt: ({ context }) => context.source.kind === 'release',
    isTurnOfBuilt: ({ event }) => event.type === 'TURN.COME' && event.source.kind === 'release',
    isOk: ({ event }) => endOf(event)?.ok === true,
    isOkWithPreDeploy: ({ context, event }) => endOf(event)?.ok === true && hasPreDeploy(context),
    isCanceledByHand: ({ event }) => event.type === 'CANCEL' && event.by === undefined,
    hasInstances: ({ context }) => instancesWanted(context) > 0,
    isOfRound: ({ context, event }) => isOfRound(context, event),
    isLastOfRound: ({ context, event }) =>
      isOfRound(context, event) &&
      context.instances.every(
        ({ instanceId, isHealthy }) => isHealthy || instanceId === instanceOf(event),
      ),
  },
  actions: {
    keepTurn: assign(({ context, event }) => {
      if (event.type !== 'TURN.COME') return context;
      const { source } = event;
      return { source, commit: source.kind === 'release' ? source.commit : null };
    }),
    begin: assign({
      startedAt: ({ context, event }) => timeOf(event) ?? context.input.at,
      // Uses the branch if there is no build to serve again.
      source: ({ context: { source } }) => (source.kind === 'same' ? BRANCH : source),
    }),
    keepCommit: assign({
      commit: ({ context, event }) => {
        const end = endOf(event);
        return (end?.ok === true ? end.commit : undefined) ?? context.commit;
      },
    }),
    keepReason: assign({ reason: ({ event }) => reasonOf(event) }),
    forgetReason: assign({ reason: null }),
    finish: assign({ finishedAt: ({ context, event }) => timeOf(event) ?? context.startedAt }),
    beginRound: assign(({ context }) => ({
      round: context.round + 1,
      former: context.instances.map(({ instanceId }) => instanceId),
      instances: roundOf(context, context.round + 1).map((instanceId) => ({
        instanceId,
        isHealthy: false,
      })),
    })),
    keepHealthy: assign({
      instances: ({ context, event }) =>
        context.instances.map((one) =>
          one.instanceId === instanceOf(event) ? { ...one, isHealthy: true } : one,
        ),
    }),
    takeBackRound: assign({
      instances: ({ context }) =>
        context.former.map((instanceId) => ({ instanceId, isHealthy: true })),
      former: [],
    }),
    forgetFormer: assign({ former: [] }),
    startInstances: enqueueActions(({ context, enqueue }) => {
      for (const message of tell.instanceOrders(context)) enqueue.emit(message);
    }),
    drainInstances: enqueueActions(({ context, enqueue }) => {
      const ids = context.instances.map(({ instanceId }) => instanceId);
      for (const message of tell.drains([...ids, ...context.former])) enqueue.emit(message);
    }),
    drainNew: enqueueActions(({ context, enqueue }) => {
      const ids = context.instances.map(({ instanceId }) => instanceId);
      for (const message of tell.drains(ids)) enqueue.emit(message);
    }),
    drainFormer: enqueueActions(({ context, enqueue }) => {
      for (const message of tell.drains(context.former)) enqueue.emit(message);
    }),
    tellStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.deployStarted(context));
    }),
    tellBuildStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.buildStarted(context));
    }),
    tellFetchFailed: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.fetchFailed(context));
    }),
    tellBuildEnded: enqueueActions(({ context, enqueue }, { as }: { readonly as: tell.Ended }) => {
      enqueue.emit(tell.buildEnded(context, as));
    }),
    tellPreDeployStarted: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.preDeployStarted(context));
    }),
    tellPreDeployEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.Ended }) => {
        enqueue.emit(tell.preDeployEnded(context, as));
      },
    ),
    tellDeployEnded: enqueueActions(({ context, enqueue }, { as }: { readonly as: tell.Ended }) => {
      enqueue.emit(tell.deployEnded(context, as));
    }),
    tellRenewal: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.renewalStarted(context));
    }),
    tellRenewalEnded: enqueueActions(
      ({ context, enqueue }, { as }: { readonly as: tell.Ended }) => {
        enqueue.emit(tell.renewalEnded(context, as));
      },
    ),
    answerLive: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.liveMessage(context));
    }),
    answerEnded: enqueueActions(({ context, enqueue }) => {
      enqueue.emit(tell.endedMessage(context));
    }),
  },
  delays: { kept: DEPLOY_KEPT_MS },
});

function hasPreDeploy({ input: { service } }: DeployContext): boolean {
  return service.type === 'web_service' && service.serviceDetails.preDeployCommand !== '';
}

function instanceOf(event: DeployEvent): string | undefined {
  return 'instanceId' in event ? event.instanceId : undefined;
}

function isOfRound({ instances }: DeployContext, event: DeployEvent): boolean {
  return instances.some(({ instanceId }) => instanceId === instanceOf(event));
}
