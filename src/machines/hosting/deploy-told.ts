import type { JsonObject } from '../../domain/common/json.ts';
import type { DeployTrigger } from '../../domain/hosting/records.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import { buildIdOf, type DeployContext, releaseOf } from './deploy-facts.ts';
import type { InstanceInput } from './instance-facts.ts';
import { reasonDetails, type ServiceEventTold, told } from './service-event.ts';

/** How a part of a deploy ended, as events say it. */
export type Ended = 'succeeded' | 'failed' | 'canceled';

/** Tells that the work on a deploy began. */
export function deployStarted(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  return told(service.id, 'deploy_started', { deployId, trigger: triggerOf(context) });
}

/** Tells that its build began. */
export function buildStarted(context: DeployContext): ServiceEventTold {
  const details = { buildId: buildIdOf(context), trigger: triggerOf(context) };
  return told(context.input.service.id, 'build_started', details);
}

/** Tells how its build ended. */
export function buildEnded(context: DeployContext, buildStatus: Ended): ServiceEventTold {
  return told(context.input.service.id, 'build_ended', {
    buildId: buildIdOf(context),
    buildStatus,
    ...reasonDetails(context.reason),
  });
}

/** Tells that the source could not be had. */
export function fetchFailed(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, repo: service.repo, branch: service.branch };
  return told(service.id, 'artifact_fetch_failed', {
    ...details,
    ...reasonDetails(context.reason),
  });
}

/** Tells that the command before the cut-over began. */
export function preDeployStarted({ input }: DeployContext): ServiceEventTold {
  return told(input.service.id, 'pre_deploy_started', { deployId: input.deployId });
}

/** Tells how the command before the cut-over ended. */
export function preDeployEnded(context: DeployContext, preDeployStatus: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, preDeployStatus, ...reasonDetails(context.reason) };
  return told(service.id, 'pre_deploy_ended', details);
}

/** Tells how a deploy ended. */
export function deployEnded(context: DeployContext, deployStatus: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, deployStatus, ...reasonDetails(context.reason) };
  return told(service.id, 'deploy_ended', details);
}

/** Tells that new instances are started beside those that serve, without a build. */
export function renewalStarted(context: DeployContext): ServiceEventTold {
  const { deployId, service } = context.input;
  return told(service.id, 'zero_downtime_redeploy_started', {
    deployId,
    trigger: { manual: true },
  });
}

/** Tells whether the new instances took over. */
export function renewalEnded(context: DeployContext, status: Ended): ServiceEventTold {
  const { deployId, service } = context.input;
  const details = { deployId, status, ...reasonDetails(context.reason) };
  return told(service.id, 'zero_downtime_redeploy_ended', details);
}

/** The messages that make the instances of a deploy. */
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

/** The messages that let instances finish what they do and end. */
export function drains(instanceIds: readonly string[]): readonly ActorSend[] {
  return instanceIds.map((to) => ({ type: 'actor.send', to, event: { type: 'DRAIN' } }));
}

/** Tells the service that this deploy serves now. */
export function liveMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  const event = { type: 'DEPLOY.LIVE', deployId, releaseId: releaseOf(context), commit };
  return send(context, { ...event, at: finishedAt ?? input.at });
}

/** Tells the service that this deploy came to nothing, and its place is free. */
export function endedMessage(context: DeployContext): ActorSend {
  const { input, commit, finishedAt } = context;
  const { deployId } = input;
  return send(context, { type: 'DEPLOY.ENDED', deployId, commit, at: finishedAt ?? input.at });
}

function send({ input }: DeployContext, event: ActorSend['event']): ActorSend {
  return { type: 'actor.send', to: input.service.id, event };
}

/** What caused a deploy, as events say it. */
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
