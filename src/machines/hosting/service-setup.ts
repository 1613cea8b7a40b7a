import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import type { Service } from '../../domain/hosting/records.ts';
import { CRASHLOOP, USER } from '../../domain/hosting/suspension.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import { type ServiceEventTold, told } from './service-event.ts';
import {
  askIn,
  deployOrder,
  diskTurnIn,
  isCrashed,
  joined,
  resolved,
  type ServiceContext,
  type ServiceInbox,
  type ServiceInput,
  takesPlace,
  toDeploy,
} from './service-facts.ts';
import { changesTold, diskTold, resumptionTold, suspensionTold } from './service-told.ts';

/** Retention of a removed service in milliseconds, longer than that of its deploys. */
const SERVICE_KEPT_MS = 100 * DAY_MS;

/** Guards, actions and delays of the service machine. */
export const serviceSetup = setup({
  types: {} as {
    context: ServiceContext;
    input: ServiceInput;
    events: ServiceInbox;
    emitted: ServiceEventTold | ActorCreate | ActorSend;
  },
  guards: {
    hasFirst: ({ context }) => context.first !== null,
    asks: ({ context, event }) => askIn(context, event) !== null,
    asksAtRest: ({ context, event }) => context.current === null && askIn(context, event) !== null,
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
    isCrashedAtRest: ({ context }) => context.current === null && isCrashed(context),
    isDiskFilling: ({ context, event }) => diskTurnIn(context, event) === 'high',
    hasDiskRecovered: ({ context, event }) => diskTurnIn(context, event) === 'recovered',
  },
  actions: {
    begin: enqueueActions(({ context, event, enqueue }) => {
      const ask = askIn(context, event);
      if (ask === null) return;
      const at = atOf(context, event);
      enqueue.emit(deployOrder(context, ask, { mustWait: false, at }));
      enqueue.assign({ current: ask.deployId, currentAsk: ask, isYielding: false, first: null });
    }),
    wait: enqueueActions(({ context, event, enqueue }) => {
      const asked = askIn(context, event);
      if (asked === null) return;
      const { current, currentAsk, waiting } = context;
      const takes = takesPlace(event) && current !== null;
      const newest = joined(asked, waiting);
      const isCleared = newest.clearCache || (takes && currentAsk?.clearCache === true);
      const ask = { ...newest, clearCache: isCleared };
      const at = atOf(context, event);
      enqueue.emit(deployOrder(context, ask, { mustWait: true, at }));
      const cancel = { type: 'CANCEL', by: ask.deployId, at } as const;
      if (waiting !== null) enqueue.emit(toDeploy(waiting.deployId, cancel));
      if (takes) enqueue.emit(toDeploy(current, cancel));
      enqueue.assign({ waiting: ask, isYielding: context.isYielding || takes });
    }),
    next: enqueueActions(({ context, event, enqueue }) => {
      const { waiting } = context;
      if (waiting === null) return;
      // The replaced deploy did not go live, so this one includes its work.
      const isLeft = event.type === 'DEPLOY.ENDED' && context.isYielding;
      const ask = joined(waiting, isLeft ? context.currentAsk : null);
      const source = resolved(context, ask.source);
      const turn = { type: 'TURN.COME', source, at: atOf(context, event) };
      enqueue.emit(toDeploy(waiting.deployId, turn));
      enqueue.assign({ current: ask.deployId, currentAsk: ask, isYielding: false, waiting: null });
    }),
    rest: assign({ current: null, currentAsk: null, isYielding: false }),
    forgetWaiting: assign({ waiting: null }),
    passCancel: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'DEPLOY.CANCELED') return;
      enqueue.emit(toDeploy(event.deployId, { type: 'CANCEL', at: event.at }));
    }),
    keepLive: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DEPLOY.LIVE') return;
      const { deployId, releaseId, commit, at } = event;
      if (context.live !== null && context.isServing) {
        enqueue.emit(toDeploy(context.live.deployId, { type: 'DEPLOY.REPLACED', at }));
      }
      const seenCommit = commit?.id ?? context.seenCommit;
      enqueue.assign({ live: { deployId, releaseId, commit }, isServing: true, seenCommit });
    }),
    retire: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'DEPLOY.LIVE') return;
      const { deployId, releaseId, commit, at } = event;
      enqueue.emit(toDeploy(deployId, { type: 'DEPLOY.REPLACED', at }));
      enqueue.assign({ live: { deployId, releaseId, commit } });
    }),
    endAll: enqueueActions(({ context, event, enqueue }) => {
      const at = atOf(context, event);
      const { live, current, waiting } = context;
      if (live !== null && context.isServing) {
        enqueue.emit(toDeploy(live.deployId, { type: 'DEPLOY.REPLACED', at }));
      }
      for (const id of [current, waiting?.deployId ?? null]) {
        if (id !== null) enqueue.emit(toDeploy(id, { type: 'CANCEL', at }));
      }
      enqueue.assign({ waiting: null, isServing: false });
    }),
    endLive: enqueueActions(({ context, event, enqueue }) => {
      const { live, isServing } = context;
      if (live === null || !isServing) return;
      const at = atOf(context, event);
      enqueue.emit(toDeploy(live.deployId, { type: 'DEPLOY.REPLACED', at }));
      enqueue.assign({ isServing: false });
    }),
    restart: enqueueActions(({ context, event, enqueue }) => {
      const { live, service } = context;
      if (live === null) return;
      enqueue.emit(told(service.id, 'server_restarted', { triggeredByUser: true }));
      enqueue.emit(toDeploy(live.deployId, { type: 'RESTART', at: atOf(context, event) }));
    }),
    keepChange: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'SERVICE.CHANGED') return;
      for (const one of changesTold(context.service, event.service)) enqueue.emit(one);
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
      enqueue.emit(told(context.service.id, 'commit_ignored', { id: event.commitId }));
    }),
    tellBranchGone: enqueueActions(({ context, enqueue }) => {
      const { id, branch } = context.service;
      enqueue.emit(told(id, 'branch_deleted', { deletedBranch: branch }));
      enqueue.emit(told(id, 'auto_deploy_disabled', { reason: 'branch_deleted' }));
    }),
    stopFollowing: assign({
      service: ({ context: { service } }): Service => ({ ...service, autoDeploy: 'no' }),
    }),
    keepRun: assign({
      service: ({ context: { service }, event }): Service =>
        service.type === 'cron_job' && event.type === 'RUN.SUCCEEDED'
          ? { ...service, serviceDetails: { ...service.serviceDetails, ...lastRun(event.at) } }
          : service,
    }),
    tellDiskHigh: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DISK.MEASURED') return;
      enqueue.emit(diskTold(context.service, 'service_disk_usage_high', event));
      enqueue.assign({ isDiskHigh: true });
    }),
    tellDiskRecovered: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DISK.MEASURED') return;
      enqueue.emit(diskTold(context.service, 'service_disk_usage_recovered', event));
      enqueue.assign({ isDiskHigh: false });
    }),
    suspend: enqueueActions(({ context, event, enqueue }) => {
      const actor = event.type === 'INSTANCE.STUCK' ? CRASHLOOP : USER;
      for (const one of suspensionTold(context.service, actor)) enqueue.emit(one);
      const { service } = context;
      enqueue.assign({ service: { ...service, suspended: 'suspended', suspenders: [actor] } });
    }),
    endCrash: enqueueActions(({ context, enqueue }) => {
      const { service } = context;
      if (!isCrashed(context)) return;
      for (const one of resumptionTold(service)) enqueue.emit(one);
      enqueue.assign({ service: { ...service, suspended: 'not_suspended', suspenders: [] } });
    }),
    resume: enqueueActions(({ context: { service }, enqueue }) => {
      for (const one of resumptionTold(service)) enqueue.emit(one);
      enqueue.assign({ service: { ...service, suspended: 'not_suspended', suspenders: [] } });
    }),
  },
  delays: { kept: SERVICE_KEPT_MS },
});

function atOf(context: ServiceContext, event: ServiceInbox): number {
  return 'at' in event ? event.at : context.at;
}

function lastRun(at: number): { readonly lastSuccessfulRunAt: string } {
  return { lastSuccessfulRunAt: new Date(at).toISOString() };
}
