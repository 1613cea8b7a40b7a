import { assign, enqueueActions, setup } from 'xstate';
import type { JsonObject } from '../../../domain/common/json.ts';
import { DAY_MS } from '../../../domain/common/time.ts';
import type { DiskUsage } from '../../../domain/hosting/disk.ts';
import type { EventType } from '../../../domain/hosting/event-types.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import {
  isSuspendedByCrashes,
  SUSPENDED_BY_CRASHLOOP,
  SUSPENDED_BY_USER,
} from '../../../domain/hosting/suspension.ts';
import type { ActorCreate, ActorSend } from '../../common/messages.ts';
import { createHistoryEvent, type ServiceHistoryEvent } from '../service-event.ts';
import {
  createDeployMessage,
  diskTransitionOf,
  mergeRequests,
  requestedDeploy,
  resolveSource,
  type ServiceActorEvent,
  type ServiceContext,
  type ServiceInput,
  sendToDeploy,
} from './context.ts';

/** Retention of a removed service in milliseconds, longer than that of its deploys. */
const SERVICE_RETENTION_MS = 100 * DAY_MS;

/** Guards, actions and delays of the service machine. */
export const serviceSetup = setup({
  types: {} as {
    context: ServiceContext;
    input: ServiceInput;
    events: ServiceActorEvent;
    emitted: ServiceHistoryEvent | ActorCreate | ActorSend;
  },
  guards: {
    hasFirst: ({ context }) => context.first !== null,
    asks: ({ context, event }) => requestedDeploy(context, event) !== null,
    asksAtRest: ({ context, event }) =>
      context.current === null && requestedDeploy(context, event) !== null,
    isAtRest: ({ context }) => context.current === null,
    isCurrent: ({ context, event }) =>
      'deployId' in event && event.deployId === context.current && context.current !== null,
    isCurrentWithNext: ({ context, event }) =>
      'deployId' in event && event.deployId === context.current && context.waiting !== null,
    isWaiting: ({ context, event }) =>
      'deployId' in event && event.deployId === context.waiting?.deployId,
    isSeen: ({ context, event }) =>
      event.type === 'BRANCH.MOVED' && event.commitId === context.seenCommit,
    isPassedOver: ({ context, event }) =>
      event.type === 'BRANCH.MOVED' && (event.isSkipped || context.service.autoDeploy === 'no'),
    isOfLive: ({ context, event }) =>
      'deployId' in event && event.deployId === context.live?.deployId,
    isCronJob: ({ context }) => context.service.type === 'cron_job',
    isServing: ({ context }) => context.isServing,
    isCrashedAtRest: ({ context: { current, service } }) =>
      current === null && isSuspendedByCrashes(service),
    isDiskFilling: ({ context, event }) => diskTransitionOf(context, event) === 'high',
    hasDiskRecovered: ({ context, event }) => diskTransitionOf(context, event) === 'recovered',
  },
  actions: {
    begin: enqueueActions(({ context, event, enqueue }) => {
      const ask = requestedDeploy(context, event);
      if (ask === null) return;
      const at = serviceEventTime(context, event);
      enqueue.emit(createDeployMessage(context, ask, { mustWait: false, at }));
      enqueue.assign({ current: ask.deployId, currentAsk: ask, isYielding: false, first: null });
    }),
    wait: enqueueActions(({ context, event, enqueue }) => {
      const asked = requestedDeploy(context, event);
      if (asked === null) return;
      const { current, currentAsk, waiting } = context;
      // An order replaces the active deploy, because otherwise a build or start that never ends
      // could not be replaced. Pushes wait, or frequent ones would never let a deploy finish.
      const takes = event.type !== 'BRANCH.MOVED' && current !== null;
      const newest = mergeRequests(asked, waiting);
      const isCleared = newest.clearCache || (takes && currentAsk?.clearCache === true);
      const ask = { ...newest, clearCache: isCleared };
      const at = serviceEventTime(context, event);
      enqueue.emit(createDeployMessage(context, ask, { mustWait: true, at }));
      const cancel = { type: 'CANCEL', by: ask.deployId, at } as const;
      if (waiting !== null) enqueue.emit(sendToDeploy(waiting.deployId, cancel));
      if (takes) enqueue.emit(sendToDeploy(current, cancel));
      enqueue.assign({ waiting: ask, isYielding: context.isYielding || takes });
    }),
    next: enqueueActions(({ context, event, enqueue }) => {
      const { waiting } = context;
      if (waiting === null) return;
      // The replaced deploy did not go live, so this one includes its work.
      const isLeft = event.type === 'DEPLOY.ENDED' && context.isYielding;
      const ask = mergeRequests(waiting, isLeft ? context.currentAsk : null);
      const source = resolveSource(context, ask.source);
      const turn = { type: 'TURN.COME', source, at: serviceEventTime(context, event) };
      enqueue.emit(sendToDeploy(waiting.deployId, turn));
      enqueue.assign({ current: ask.deployId, currentAsk: ask, isYielding: false, waiting: null });
    }),
    rest: assign({ current: null, currentAsk: null, isYielding: false }),
    forgetWaiting: assign({ waiting: null }),
    passCancel: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'DEPLOY.CANCELED') return;
      enqueue.emit(sendToDeploy(event.deployId, { type: 'CANCEL', at: event.at }));
    }),
    keepLive: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DEPLOY.LIVE') return;
      const { deployId, releaseId, commit, at } = event;
      if (context.live !== null && context.isServing) {
        enqueue.emit(sendToDeploy(context.live.deployId, { type: 'DEPLOY.REPLACED', at }));
      }
      const seenCommit = commit?.id ?? context.seenCommit;
      enqueue.assign({ live: { deployId, releaseId, commit }, isServing: true, seenCommit });
    }),
    retire: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'DEPLOY.LIVE') return;
      const { deployId, releaseId, commit, at } = event;
      enqueue.emit(sendToDeploy(deployId, { type: 'DEPLOY.REPLACED', at }));
      enqueue.assign({ live: { deployId, releaseId, commit } });
    }),
    endAll: enqueueActions(({ context, event, enqueue }) => {
      const at = serviceEventTime(context, event);
      const { live, current, waiting } = context;
      if (live !== null && context.isServing) {
        enqueue.emit(sendToDeploy(live.deployId, { type: 'DEPLOY.REPLACED', at }));
      }
      for (const id of [current, waiting?.deployId ?? null]) {
        if (id !== null) enqueue.emit(sendToDeploy(id, { type: 'CANCEL', at }));
      }
      enqueue.assign({ waiting: null, isServing: false });
    }),
    endLive: enqueueActions(({ context, event, enqueue }) => {
      const { live, isServing } = context;
      if (live === null || !isServing) return;
      const at = serviceEventTime(context, event);
      enqueue.emit(sendToDeploy(live.deployId, { type: 'DEPLOY.REPLACED', at }));
      enqueue.assign({ isServing: false });
    }),
    restart: enqueueActions(({ context, event, enqueue }) => {
      const { live, service } = context;
      if (live === null) return;
      enqueue.emit(createHistoryEvent(service.id, 'server_restarted', { triggeredByUser: true }));
      enqueue.emit(
        sendToDeploy(live.deployId, { type: 'RESTART', at: serviceEventTime(context, event) }),
      );
    }),
    keepChange: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'SERVICE.CHANGED') return;
      for (const one of createChangeEvents(context.service, event.service)) enqueue.emit(one);
      enqueue.assign({ service: event.service });
    }),
    keepEnv: assign({
      sealedEnv: ({ context, event }) =>
        event.type === 'ENV.REPLACED' ? event.sealedEnv : context.sealedEnv,
    }),
    keepSeen: assign({
      seenCommit: ({ context, event }) => {
        if (event.type === 'BRANCH.MOVED') return event.commitId;
        const tried = event.type === 'DEPLOY.ENDED' ? event.commit : null;
        return tried?.id ?? context.seenCommit;
      },
    }),
    tellIgnored: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'BRANCH.MOVED' || !event.isSkipped) return;
      enqueue.emit(
        createHistoryEvent(context.service.id, 'commit_ignored', { id: event.commitId }),
      );
    }),
    tellBranchGone: enqueueActions(({ context, enqueue }) => {
      const { id, branch } = context.service;
      enqueue.emit(createHistoryEvent(id, 'branch_deleted', { deletedBranch: branch }));
      enqueue.emit(createHistoryEvent(id, 'auto_deploy_disabled', { reason: 'branch_deleted' }));
    }),
    stopFollowing: assign({
      service: ({ context: { service } }): Service => ({ ...service, autoDeploy: 'no' }),
    }),
    keepRun: assign({
      service: ({ context: { service }, event }): Service =>
        service.type === 'cron_job' && event.type === 'RUN.SUCCEEDED'
          ? {
              ...service,
              serviceDetails: { ...service.serviceDetails, ...lastRunFields(event.at) },
            }
          : service,
    }),
    tellDiskHigh: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DISK.MEASURED') return;
      enqueue.emit(createDiskEvent(context.service, 'service_disk_usage_high', event));
      enqueue.assign({ isDiskHigh: true });
    }),
    tellDiskRecovered: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DISK.MEASURED') return;
      enqueue.emit(createDiskEvent(context.service, 'service_disk_usage_recovered', event));
      enqueue.assign({ isDiskHigh: false });
    }),
    suspend: enqueueActions(({ context, event, enqueue }) => {
      const actor = event.type === 'INSTANCE.STUCK' ? SUSPENDED_BY_CRASHLOOP : SUSPENDED_BY_USER;
      for (const one of createSuspensionEvents(context.service, actor)) enqueue.emit(one);
      const { service } = context;
      enqueue.assign({ service: { ...service, suspended: 'suspended', suspenders: [actor] } });
    }),
    endCrash: enqueueActions(({ context, enqueue }) => {
      const { service } = context;
      if (!isSuspendedByCrashes(service)) return;
      for (const one of createResumptionEvents(service)) enqueue.emit(one);
      enqueue.assign({ service: { ...service, suspended: 'not_suspended', suspenders: [] } });
    }),
    resume: enqueueActions(({ context: { service }, enqueue }) => {
      for (const one of createResumptionEvents(service)) enqueue.emit(one);
      enqueue.assign({ service: { ...service, suspended: 'not_suspended', suspenders: [] } });
    }),
  },
  delays: { kept: SERVICE_RETENTION_MS },
});

function serviceEventTime(context: ServiceContext, event: ServiceActorEvent): number {
  return 'at' in event ? event.at : context.at;
}

function lastRunFields(at: number): { readonly lastSuccessfulRunAt: string } {
  return { lastSuccessfulRunAt: new Date(at).toISOString() };
}

/** Returns the history events for a change of the record. */
export function createChangeEvents(
  before: Service,
  after: Service,
): readonly ServiceHistoryEvent[] {
  const tell = (event: EventType, details: JsonObject) =>
    createHistoryEvent(before.id, event, details);
  const events: ServiceHistoryEvent[] = [];
  if (before.autoDeploy !== after.autoDeploy) {
    const isOn = after.autoDeploy === 'yes';
    const event = isOn ? 'auto_deploy_enabled' : 'auto_deploy_disabled';
    events.push(tell(event, isOn ? {} : { reason: 'setting_change' }));
  }
  const [from, to] = [readPlan(before), readPlan(after)];
  if (from !== to) events.push(tell('plan_changed', { from, to }));
  const [fromInstances, toInstances] = [readInstanceCount(before), readInstanceCount(after)];
  if (fromInstances !== toInstances) {
    events.push(tell('instance_count_changed', { fromInstances, toInstances }));
  }
  if (before.repo !== after.repo || before.branch !== after.branch) {
    const source = ({ repo, branch }: Service): JsonObject => ({ repo, branch });
    events.push(tell('artifact_source_changed', { from: source(before), to: source(after) }));
  }
  return events;
}

/** Returns the history events for a suspension. */
function createSuspensionEvents({ id }: Service, actor: string): readonly ServiceHistoryEvent[] {
  const suspendedByUser = actor === SUSPENDED_BY_USER;
  return [
    createHistoryEvent(id, 'suspender_added', { actor, suspendedByUser }),
    createHistoryEvent(id, 'service_suspended', { actor }),
  ];
}

/** Returns the history events for the end of a suspension. */
function createResumptionEvents({ id, suspenders }: Service): readonly ServiceHistoryEvent[] {
  return [
    ...suspenders.map((actor) => createHistoryEvent(id, 'suspender_removed', { actor })),
    createHistoryEvent(id, 'service_resumed', {}),
  ];
}

/** Creates the history event for a disk that became high or recovered, with usage and capacity. */
function createDiskEvent(
  { id }: Service,
  event: Extract<EventType, `service_disk_usage_${string}`>,
  { used, room }: DiskUsage,
): ServiceHistoryEvent {
  return createHistoryEvent(id, event, {
    usedBytes: used.bytes,
    roomBytes: room.bytes,
    usedFiles: used.files,
    roomFiles: room.files,
  });
}

function readPlan({ serviceDetails }: Service): string {
  return 'plan' in serviceDetails ? serviceDetails.plan : '';
}

function readInstanceCount({ serviceDetails }: Service): number {
  return 'numInstances' in serviceDetails ? serviceDetails.numInstances : 0;
}
