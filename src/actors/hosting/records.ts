import { toIsoTime } from '../../domain/common/time.ts';
import {
  DEPLOY_STATUSES,
  type Deploy,
  type DeployStatus,
  type Service,
} from '../../domain/hosting/records.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import type { View } from '../../runtime/engine/types.ts';
import { parseCron } from '../../runtime/timer/cron.ts';
import { deployContext, serviceContext } from './hosting-directory.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';

/** States of a deploy in progress. */
export const IN_PROGRESS_STATUSES: readonly DeployStatus[] = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];

/** Returns current console and service URLs, which can change. */
export type PublicUrls = Pick<LocalProviderDeps, 'pageOf' | 'urlOf'>;

/** Returns the public record of a service. */
export function readServiceRecord(view: View, now: number, { pageOf, urlOf }: PublicUrls): Service {
  const { service: stored } = serviceContext(view);
  const service = { ...addUrl(stored, urlOf), dashboardUrl: pageOf(stored.id) };
  if (service.type !== 'cron_job' || service.suspended === 'suspended') return service;
  // The engine runs the job at the dates of the same pattern.
  const due = parseCron(service.serviceDetails.schedule, 'UTC').next(now);
  if (due === undefined) return service;
  const nextRunAt = new Date(due).toISOString();
  return { ...service, serviceDetails: { ...service.serviceDetails, nextRunAt } };
}

function addUrl(service: Service, urlOf: PublicUrls['urlOf']): Service {
  const url = urlOf(service.slug);
  switch (service.type) {
    case 'web_service':
      return { ...service, serviceDetails: { ...service.serviceDetails, url } };
    case 'static_site':
      return { ...service, serviceDetails: { ...service.serviceDetails, url } };
    case 'cron_job':
      return service;
  }
}

/** Returns the status of a deploy. */
export function deployStatus({ value }: View): DeployStatus {
  const [top = ''] = activeStateIds(value);
  return DEPLOY_STATUSES.find((status) => status === top) ?? 'deactivated';
}

/** Returns the public record of a deploy. */
export function readDeployRecord(view: View): Deploy {
  const { input, commit, reason, startedAt, finishedAt } = deployContext(view);
  return {
    id: view.id,
    serviceId: input.service.id,
    commit,
    status: deployStatus(view),
    trigger: input.trigger,
    ...(reason === null ? {} : { reason }),
    createdAt: toIsoTime(input.at),
    ...(startedAt === null ? {} : { startedAt: toIsoTime(startedAt) }),
    updatedAt: toIsoTime(view.at),
    ...(finishedAt === null ? {} : { finishedAt: toIsoTime(finishedAt) }),
  };
}
