import type { DeployTrigger, Service, ServiceEvent } from '../../../src/domain/hosting/records.ts';
import { findScheduleFault } from '../../../src/domain/hosting/schedule.ts';
import type { ServicePatch } from '../../../src/domain/hosting/service-patch.ts';
import { createChangeEvents } from '../../../src/machines/hosting/service/setup.ts';
import { invalidParameter } from './paging.ts';

/** Result of changing a service: its new record, the events, and whether it is deployed. */
export interface PatchResult {
  readonly service: Service;
  readonly events: readonly Pick<ServiceEvent, 'type' | 'details'>[];
  readonly trigger?: DeployTrigger;
}

type Member = keyof ServicePatch;

/** Settings per service type, in addition to name, branch and suspension. */
const TYPE_SETTINGS: Readonly<Record<Service['type'], readonly Member[]>> = {
  web_service: [
    'buildCommand',
    'startCommand',
    'preDeployCommand',
    'dockerCommand',
    'dockerfilePath',
    'dockerContext',
    'healthCheckPath',
    'maxShutdownDelaySeconds',
    'numInstances',
    'plan',
  ],
  static_site: ['buildCommand', 'publishPath'],
  cron_job: [
    'buildCommand',
    'startCommand',
    'dockerCommand',
    'dockerfilePath',
    'dockerContext',
    'plan',
    'schedule',
  ],
};
const COMMON_SETTINGS: readonly Member[] = ['name', 'branch', 'autoDeploy', 'suspended'];
const NATIVE_SETTINGS: readonly Member[] = ['buildCommand', 'startCommand'];
const DOCKER_SETTINGS: readonly Member[] = ['dockerCommand', 'dockerfilePath', 'dockerContext'];
/** Changes that need no new deploy. */
const NO_DEPLOY_SETTINGS: readonly Member[] = [
  'name',
  'autoDeploy',
  'suspended',
  'schedule',
  'numInstances',
];
const BOUNDS = { numInstances: [1, 100], maxShutdownDelaySeconds: [1, 300] } as const;

/**
 * Changes settings of a service.
 *
 * @throws {AppError} `INPUT_INVALID` for a setting that its type does not have, or that is out of
 * range.
 */
export function patchService(service: Service, patch: ServicePatch, at: string): PatchResult {
  const given = (Object.keys(patch) as Member[]).filter((name) => patch[name] !== undefined);
  for (const name of given) assertSetting(service, name, patch[name]);
  const details = Object.fromEntries(
    given.filter((name) => !COMMON_SETTINGS.includes(name)).map((name) => [name, patch[name]]),
  );
  const { name = service.name, branch = service.branch } = patch;
  const { autoDeploy = service.autoDeploy } = patch;
  const isSuspended = patch.suspended ?? service.suspended === 'suspended';
  const changed = {
    ...service,
    name,
    branch,
    autoDeploy,
    updatedAt: at,
    suspended: isSuspended ? 'suspended' : 'not_suspended',
    suspenders: isSuspended ? ['user'] : [],
    serviceDetails: { ...service.serviceDetails, ...details },
  } as Service;
  const trigger = getTrigger(service, changed, given);
  const events = listEvents(service, changed);
  return { service: changed, events, ...(trigger === undefined ? {} : { trigger }) };
}

function assertSetting({ type, serviceDetails }: Service, name: Member, value: unknown): void {
  const isDocker = 'runtime' in serviceDetails && serviceDetails.runtime === 'docker';
  const isOfOther = (isDocker ? NATIVE_SETTINGS : DOCKER_SETTINGS).includes(name);
  const isOwn = COMMON_SETTINGS.includes(name) || TYPE_SETTINGS[type].includes(name);
  if (!isOwn || (isOfOther && type !== 'static_site')) {
    throw invalidParameter(name, value, `no such setting of this ${type.replace('_', ' ')}`);
  }
  if (name === 'numInstances' || name === 'maxShutdownDelaySeconds') {
    const [least, most] = BOUNDS[name];
    const isWithin = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    if (!isWithin) throw invalidParameter(name, value, `an integer from ${least} to ${most}`);
  }
  if (name === 'schedule') {
    const fault = findScheduleFault(String(value));
    if (fault !== undefined) throw invalidParameter(name, value, fault);
  }
}

function getTrigger(
  before: Service,
  after: Service,
  given: readonly Member[],
): DeployTrigger | undefined {
  if (before.suspended === 'suspended' && after.suspended === 'not_suspended') {
    return 'service_resumed';
  }
  return given.some((name) => !NO_DEPLOY_SETTINGS.includes(name)) ? 'service_updated' : undefined;
}

function listEvents(before: Service, after: Service): PatchResult['events'] {
  const events: Pick<ServiceEvent, 'type' | 'details'>[] = createChangeEvents(before, after).map(
    ({ event, details }) => ({ type: event, details }),
  );
  if (before.suspended !== after.suspended) {
    const isOff = after.suspended === 'suspended';
    const actor = { actor: 'user' };
    events.push({ type: isOff ? 'suspender_added' : 'suspender_removed', details: actor });
    events.push({ type: isOff ? 'service_suspended' : 'service_resumed', details: actor });
  }
  return events;
}
