import type { JsonObject } from '../../domain/common/json.ts';
import type { DeployTrigger } from '../../domain/hosting/records.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import { buildIdOf, type DeployContext, releaseOf } from './deploy-facts.ts';
import type { InstanceInput } from './instance-facts.ts';
import { reasonDetails, type ServiceEventTold, told } from './service-event.ts';

/** How a part of a deploy ended, as stated in history events. */
export type Ended = 'succeeded' | 'failed' | 'canceled';

/** Creates the history event for a started deploy. */
export function deployStarted(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  return told(service.id, 'deploy_started', { deployId, trigger: triggerOf(context) });
}

/** Creates the history event for a started build. */
export function buildStarted(context: DeployContext): ServiceEventTold {
  const details = { buildId: buildIdOf(context), trigger: triggerOf(context) };
  return told(context.input.service.id, 'build_started', details);
}

/** Creates the history event for an ended build. */
export function buildEnded(context: DeployContext, buildStatus: Ended): ServiceEventTold {
  return told(context.input.service.id, 'build_ended', {
    buildId: buildIdOf(context),
    buildStatus,
    ...reasonDetails(context.reason),
  });
}

/** Creates the history event for a source that could not be fetched. */
export function fetchFailed(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, repo: service.repo, branch: service.branch };
  return told(service.id, 'artifact_fetch_failed', {
    ...details,
    ...reasonDetails(context.reason),
  });
}

/** Creates the history event for a started pre-deploy command. */
export function preDeployStarted({ input }: DeployContext): ServiceEventTold {
  return told(input.service.id, 'pre_deploy_started', { deployId: input.deployId });
}

/** Creates the history event for an ended pre-deploy command. */
export function preDeployEnded(context: DeployContext, preDeployStatus: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, preDeployStatus, ...reasonDetails(context.reason) };
  return told(service.id, 'pre_deploy_ended', details);
}

/** Creates the history event for an ended deploy. */
export function deployEnded(context: DeployContext, deployStatus: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, deployStatus, ...reasonDetails(context.reason) };
  return told(service.id, 'deploy_ended', details);
}

/**
 * Creates the history event for new instances that start beside the serving ones without a build.
 */
export function renewalStarted(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  return told(service.id, 'zero_downtime_redeploy_started', {
    deployId,
    trigger: { manual: true },
  });
}

/** Creates the history event for the end of a renewal. */
export function renewalEnded(context: DeployContext, status: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, status, ...reasonDetails(context.reason) };
  return told(service.id, 'zero_downtime_redeploy_ended', details);
}

/** Creates the messages that create the instances of a deploy. */
export function instanceOrders(context: DeployContext): readonly ActorCreate[] {
  const { deployId, service, sealedEnv } = context.input;
  return context.instances.map(({ instanceId }) => {
    const input: InstanceInput = {
      instanceId,
      deployId,
      service,
      sealedEnv,
      releaseId: releaseOf(context),
      commit: context.commit,
    };
    return { type: 'actor.create', to: instanceId, kind: 'instance', input };
  });
}

/** Creates the messages that drain instances. */
export function drains(instanceIds: readonly string[]): readonly ActorSend[] {
  return instanceIds.map((to) => ({ type: 'actor.send', to, event: { type: 'DRAIN' } }));
}

/** Creates the message to the service that this deploy is live. */
export function liveMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  const event = { type: 'DEPLOY.LIVE', deployId, releaseId: releaseOf(context), commit };
  return send(context, { ...event, at: finishedAt ?? input.at });
}

/** Creates the message to the service that this deploy ended without going live. */
export function endedMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  return send(context, { type: 'DEPLOY.ENDED', deployId, commit, at: finishedAt ?? input.at });
}

function send({ input }: DeployContext, event: ActorSend['event']): ActorSend {
  return { type: 'actor.send', to: input.service.id, event };
}

/** Returns the trigger of a deploy as stated in history events. */
function triggerOf({ input, source }: DeployContext): JsonObject {
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
