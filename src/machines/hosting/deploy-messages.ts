import type { JsonObject } from '../../domain/common/json.ts';
import type { DeployTrigger } from '../../domain/hosting/records.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import { buildIdOf, type DeployContext, releaseIdOf } from './deploy-context.ts';
import type { InstanceInput } from './instance-context.ts';
import { createHistoryEvent, type ServiceHistoryEvent, toReasonDetails } from './service-event.ts';

/** How a part of a deploy ended, as stated in history events. */
export type EndStatus = 'succeeded' | 'failed' | 'canceled';

/** Creates the history event for a started deploy. */
export function createDeployStartedEvent(context: DeployContext): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  return createHistoryEvent(service.id, 'deploy_started', {
    deployId,
    trigger: triggerDetails(context),
  });
}

/** Creates the history event for a started build. */
export function createBuildStartedEvent(context: DeployContext): ServiceHistoryEvent {
  const details = { buildId: buildIdOf(context), trigger: triggerDetails(context) };
  return createHistoryEvent(context.input.service.id, 'build_started', details);
}

/** Creates the history event for an ended build. */
export function createBuildEndedEvent(
  context: DeployContext,
  buildStatus: EndStatus,
): ServiceHistoryEvent {
  return createHistoryEvent(context.input.service.id, 'build_ended', {
    buildId: buildIdOf(context),
    buildStatus,
    ...toReasonDetails(context.reason),
  });
}

/** Creates the history event for a source that could not be fetched. */
export function createFetchFailedEvent(context: DeployContext): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  const details = { deployId, repo: service.repo, branch: service.branch };
  return createHistoryEvent(service.id, 'artifact_fetch_failed', {
    ...details,
    ...toReasonDetails(context.reason),
  });
}

/** Creates the history event for a started pre-deploy command. */
export function createPreDeployStartedEvent({ input }: DeployContext): ServiceHistoryEvent {
  return createHistoryEvent(input.service.id, 'pre_deploy_started', { deployId: input.deployId });
}

/** Creates the history event for an ended pre-deploy command. */
export function createPreDeployEndedEvent(
  context: DeployContext,
  preDeployStatus: EndStatus,
): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  const details = { deployId, preDeployStatus, ...toReasonDetails(context.reason) };
  return createHistoryEvent(service.id, 'pre_deploy_ended', details);
}

/** Creates the history event for an ended deploy. */
export function createDeployEndedEvent(
  context: DeployContext,
  deployStatus: EndStatus,
): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  const details = { deployId, deployStatus, ...toReasonDetails(context.reason) };
  return createHistoryEvent(service.id, 'deploy_ended', details);
}

/**
 * Creates the history event for new instances that start beside the serving ones without a build.
 */
export function createRenewalStartedEvent(context: DeployContext): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  return createHistoryEvent(service.id, 'zero_downtime_redeploy_started', {
    deployId,
    trigger: { manual: true },
  });
}

/** Creates the history event for the end of a renewal. */
export function createRenewalEndedEvent(
  context: DeployContext,
  status: EndStatus,
): ServiceHistoryEvent {
  const { deployId, service } = context.input;
  const details = { deployId, status, ...toReasonDetails(context.reason) };
  return createHistoryEvent(service.id, 'zero_downtime_redeploy_ended', details);
}

/** Creates the messages that create the instances of a deploy. */
export function createInstanceMessages(context: DeployContext): readonly ActorCreate[] {
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

/** Creates the messages that drain instances. */
export function createDrainMessages(instanceIds: readonly string[]): readonly ActorSend[] {
  return instanceIds.map((to) => ({ type: 'actor.send', to, event: { type: 'DRAIN' } }));
}

/** Creates the message to the service that this deploy is live. */
export function createLiveMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  const event = { type: 'DEPLOY.LIVE', deployId, releaseId: releaseIdOf(context), commit };
  return sendToService(context, { ...event, at: finishedAt ?? input.at });
}

/** Creates the message to the service that this deploy ended without going live. */
export function createEndedMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  return sendToService(context, {
    type: 'DEPLOY.ENDED',
    deployId,
    commit,
    at: finishedAt ?? input.at,
  });
}

function sendToService({ input }: DeployContext, event: ActorSend['event']): ActorSend {
  return { type: 'actor.send', to: input.service.id, event };
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
