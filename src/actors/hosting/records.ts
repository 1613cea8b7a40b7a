import type { Deploy, DeployStatus, Service } from '../../domain/hosting/records.ts';
import { DEPLOY_STATUSES } from '../../domain/hosting/records.ts';
import { nextRunAt } from '../../domain/hosting/service-record.ts';
import { activeIds } from '../../machines/graph/machine-graph.ts';
import type { View } from '../../runtime/engine/types.ts';
import { deployContext, serviceContext } from './directory.ts';
import type { LocalProviderParts } from './local-parts.ts';

/** States of a deploy in progress. */
export const UNDER_WAY: readonly DeployStatus[] = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];

/** Returns current console and service URLs, which can change. */
export type Reached = Pick<LocalProviderParts, 'pageOf' | 'urlOf'>;

/** Returns the public record of a service. */
export function serviceOf(view: View, now: number, { pageOf, urlOf }: Reached): Service {
  const { service: kept } = serviceContext(view);
  const service = { ...withUrl(kept, urlOf), dashboardUrl: pageOf(kept.id) };
  if (service.type !== 'cron_job' || service.suspended === 'suspended') return service;
  const next = nextRunAt(service.serviceDetails.schedule, now);
  if (next === undefined) return service;
  return { ...service, serviceDetails: { ...service.serviceDetails, nextRunAt: next } };
}

function withUrl(service: Service, urlOf: Reached['urlOf']): Service {
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
export function statusOf({ value }: View): DeployStatus {
  const [top = ''] = activeIds(value);
  return DEPLOY_STATUSES.find((status) => status === top) ?? 'deactivated';
}

/** Returns the public record of a deploy. */
export function deployOf(view: View): Deploy {
  const { input, commit, reason, startedAt, finishedAt } = deployContext(view);
  return {
    id: view.id,
    serviceId: input.service.id,
    commit,
    status: statusOf(view),
    trigger: input.trigger,
    ...(reason === null ? {} : { reason }),
    createdAt: instant(input.at),
    ...(startedAt === null ? {} : { startedAt: instant(startedAt) }),
    updatedAt: instant(view.at),
    ...(finishedAt === null ? {} : { finishedAt: instant(finishedAt) }),
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
