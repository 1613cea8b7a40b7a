import { AppError } from '../common/error.ts';
import type { NewService } from './hosting.ts';
import type { Service } from './records.ts';
import { findScheduleFault } from './schedule.ts';
import type { ServicePatch } from './service-patch.ts';

/** Seconds between SIGTERM and SIGKILL, unless set. */
const SHUTDOWN_DELAY_S = 30;

/** Values of a new record that the order does not contain. */
export interface NewServiceFields {
  readonly id: string;
  readonly slug: string;
  readonly url: string;
  readonly dashboardUrl: string;
  readonly pushUrl?: string;
  /** RFC 3339 */
  readonly at: string;
}

/**
 * Creates the record of an ordered service.
 *
 * @throws {AppError} `INPUT_INVALID` for an invalid schedule, or one that never matches.
 */
export function createServiceRecord(order: NewService, parts: NewServiceFields): Service {
  const { id, slug, url, dashboardUrl, pushUrl, at } = parts;
  const { name, ownerId, autoDeploy, repo = '', branch = 'main' } = order;
  const base = {
    id,
    name,
    slug,
    ownerId,
    repo,
    branch,
    autoDeploy,
    dashboardUrl,
    ...(pushUrl === undefined ? {} : { pushUrl }),
    suspended: 'not_suspended',
    suspenders: [],
    createdAt: at,
    updatedAt: at,
  } as const;
  switch (order.type) {
    case 'web_service': {
      const { type, run, plan, region } = order;
      const rest = { numInstances: 1, healthCheckPath: '', preDeployCommand: '' };
      const delay = { maxShutdownDelaySeconds: SHUTDOWN_DELAY_S };
      return { ...base, type, serviceDetails: { ...run, plan, region, url, ...rest, ...delay } };
    }
    case 'static_site': {
      const { type, buildCommand, publishPath } = order;
      return { ...base, type, serviceDetails: { buildCommand, publishPath, url } };
    }
    case 'cron_job': {
      const { type, run, plan, region, schedule } = order;
      requireValidSchedule(schedule);
      return { ...base, type, serviceDetails: { ...run, plan, region, schedule } };
    }
  }
}

/** What applies a settings change: a new build, new instances, or nothing. */
export type ChangeEffect = 'build' | 'instances' | 'nothing';

type SettingName = Exclude<keyof ServicePatch, 'suspended'>;

/** Settings of each service type, with what applies a change of them. */
const SETTINGS: Readonly<
  Record<Service['type'], Readonly<Partial<Record<SettingName, ChangeEffect>>>>
> = {
  web_service: {
    buildCommand: 'build',
    dockerfilePath: 'build',
    dockerContext: 'build',
    startCommand: 'instances',
    preDeployCommand: 'instances',
    dockerCommand: 'instances',
    healthCheckPath: 'instances',
    plan: 'instances',
    numInstances: 'instances',
    maxShutdownDelaySeconds: 'nothing',
  },
  static_site: { buildCommand: 'build', publishPath: 'instances' },
  cron_job: {
    buildCommand: 'build',
    dockerfilePath: 'build',
    dockerContext: 'build',
    startCommand: 'instances',
    dockerCommand: 'instances',
    plan: 'instances',
    schedule: 'nothing',
  },
};
const NATIVE_ONLY: readonly SettingName[] = ['buildCommand', 'startCommand'];
const DOCKER_ONLY: readonly SettingName[] = ['dockerCommand', 'dockerfilePath', 'dockerContext'];
const BOUNDS = { numInstances: [1, 20], maxShutdownDelaySeconds: [1, 300] } as const;

/**
 * Applies a patch to the settings of a service. Suspension is not part of it.
 *
 * @throws {AppError} `INPUT_INVALID` for a setting that the type does not have, or an invalid
 * value.
 */
export function patchService(
  service: Service,
  patch: ServicePatch,
  at: string,
): { readonly service: Service; readonly need: ChangeEffect } {
  const { suspended: _apart, ...settings } = patch;
  const changedEntries = Object.entries(settings).filter(([, value]) => value !== undefined);
  const effects = changedEntries.map(([name, value]) => effectOfChange(service, name, value));
  const { name, branch, autoDeploy, ...details } = Object.fromEntries(
    changedEntries,
  ) as ServicePatch;
  const changed = {
    ...service,
    name: name ?? service.name,
    branch: branch ?? service.branch,
    autoDeploy: autoDeploy ?? service.autoDeploy,
    updatedAt: at,
    serviceDetails: { ...service.serviceDetails, ...details },
    // `effectOfChange` rejects settings that the type lacks.
  } as Service;
  const need = effects.includes('build')
    ? 'build'
    : effects.includes('instances')
      ? 'instances'
      : null;
  return { service: changed, need: need ?? 'nothing' };
}

function effectOfChange(service: Service, name: string, value: unknown): ChangeEffect {
  if (name === 'name' || name === 'autoDeploy') return 'nothing';
  if (name === 'branch') return 'build';
  const { type, serviceDetails } = service;
  const known: Readonly<Record<string, ChangeEffect | undefined>> = SETTINGS[type];
  const isDocker = 'runtime' in serviceDetails && serviceDetails.runtime === 'docker';
  const inapplicable: readonly string[] = isDocker ? NATIVE_ONLY : DOCKER_ONLY;
  const need = known[name];
  if (need === undefined || (type !== 'static_site' && inapplicable.includes(name))) {
    throw invalidSetting(name, value, `a setting of a ${type.replace('_', ' ')}`);
  }
  if (name === 'numInstances' || name === 'maxShutdownDelaySeconds') {
    const [least, most] = BOUNDS[name];
    const isWithin = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    if (!isWithin) throw invalidSetting(name, value, `a whole number from ${least} to ${most}`);
  }
  if (name === 'schedule') requireValidSchedule(String(value));
  return need;
}

function requireValidSchedule(schedule: string): void {
  const fault = findScheduleFault(schedule);
  if (fault !== undefined) throw invalidSetting('schedule', schedule, fault);
}

function invalidSetting(path: string, received: unknown, allowed: string): AppError {
  const receivedText = (JSON.stringify(received) ?? 'nothing').slice(0, 200);
  const message = `${path}: received ${receivedText}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}
