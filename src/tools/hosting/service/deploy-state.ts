import type { Deploy } from '../../../domain/hosting/records.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';

const ACTIVE_STATUSES: readonly Deploy['status'][] = [
  'created',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];

/** Describes whether a deploy has started, or which deploy it waits for. */
export async function describeDeployState(
  { provider }: HostingToolDeps,
  serviceId: string,
  deployId: string,
): Promise<string> {
  const { items } = await provider.deploys.list({ serviceId, limit: 20 });
  const deploys = items.map(({ item }) => item);
  const own = deploys.find(({ id }) => id === deployId);
  if (own?.status !== 'queued') return `Deploy ${deployId} has started. Follow it with get_deploy.`;
  const before = deploys.find(
    ({ id, status }) => id !== deployId && ACTIVE_STATUSES.includes(status),
  );
  if (before === undefined) return `Deploy ${deployId} starts soon. Follow it with get_deploy.`;
  const { id, status } = before;
  const end =
    status === 'pre_deploy_in_progress'
      ? 'whose pre-deploy command is not interrupted: it ends within 30 minutes'
      : 'which is being canceled so that this one can replace it';
  return `Deploy ${deployId} waits for ${id} (${status}), ${end}. Follow both with get_deploy.`;
}
