import type { ServicePatch } from '../../../src/domain/hosting/hosting.ts';
import { SERVICE_PLANS } from '../../../src/domain/hosting/plans.ts';
import type { Service } from '../../../src/domain/hosting/records.ts';
import { AUTO_DEPLOY } from '../../../src/domain/hosting/value-sets.ts';

/** One setting of the form. */
export interface Setting {
  readonly name: Exclude<keyof ServicePatch, 'suspended'>;
  readonly label: string;
  readonly hint?: string;
  /** Current value. */
  readonly value: string;
  readonly kind: 'line' | 'command' | 'number' | 'choice';
  readonly choices?: readonly string[];
}

type Spec = Omit<Setting, 'value'>;

const PLAN_HINT = Object.entries(SERVICE_PLANS)
  .map(([name, { cpu, memoryMib }]) => `${name}: ${cpu} CPU, ${memoryMib} MiB`)
  .join('; ');
const OF_ALL: readonly Spec[] = [
  { name: 'name', label: 'Name', kind: 'line' },
  { name: 'branch', label: 'Branch', kind: 'line', hint: 'Changing it starts a build.' },
  {
    ...{ name: 'autoDeploy', label: 'Auto-deploy', kind: 'choice' },
    choices: AUTO_DEPLOY,
  },
];
const BUILD: Spec = { name: 'buildCommand', label: 'Build command', kind: 'command' };
const NATIVE: readonly Spec[] = [
  BUILD,
  { name: 'startCommand', label: 'Start command', kind: 'command' },
];
const DOCKER: readonly Spec[] = [
  { name: 'dockerfilePath', label: 'Dockerfile', kind: 'line' },
  { name: 'dockerContext', label: 'Build context', kind: 'line' },
  {
    ...{ name: 'dockerCommand', label: 'Command', kind: 'command' },
    hint: 'If empty, the entry point and command of the Dockerfile are used.',
  },
];
const PLAN: Spec = {
  ...{ name: 'plan', label: 'Plan', kind: 'choice', hint: PLAN_HINT },
  choices: Object.keys(SERVICE_PLANS),
};
const OF_WEB: readonly Spec[] = [
  PLAN,
  { name: 'numInstances', label: 'Instances', kind: 'number' },
  {
    ...{ name: 'healthCheckPath', label: 'Health check path', kind: 'line' },
    hint: 'For example, /healthz. If empty, a listening port is enough.',
  },
  {
    ...{ name: 'preDeployCommand', label: 'Pre-deploy command', kind: 'command' },
    hint: 'Runs before each deploy goes live. Empty for none.',
  },
  {
    ...{ name: 'maxShutdownDelaySeconds', label: 'Shutdown delay, seconds', kind: 'number' },
    hint: 'Time between SIGTERM and SIGKILL.',
  },
];
const OF_SITE: readonly Spec[] = [
  BUILD,
  { name: 'publishPath', label: 'Publish path', kind: 'line' },
];
const OF_CRON: readonly Spec[] = [
  PLAN,
  {
    ...{ name: 'schedule', label: 'Schedule', kind: 'line' },
    hint: 'Five fields, in UTC: minute, hour, day, month, weekday.',
  },
];

/** Returns the settings of a service with their current values. */
export function settingsOf(service: Service): readonly Setting[] {
  const details: Readonly<Record<string, unknown>> = service.serviceDetails;
  const all = { ...details, ...service } as Readonly<Record<string, unknown>>;
  return specsOf(service).map((spec) => ({ ...spec, value: textOf(all[spec.name]) }));
}

function textOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

function specsOf({ type, serviceDetails }: Service): readonly Spec[] {
  const run = 'runtime' in serviceDetails && serviceDetails.runtime === 'docker' ? DOCKER : NATIVE;
  switch (type) {
    case 'web_service':
      return [...OF_ALL, ...run, ...OF_WEB];
    case 'static_site':
      return [...OF_ALL, ...OF_SITE];
    case 'cron_job':
      return [...OF_ALL, ...run, ...OF_CRON];
  }
}

/** Edited values by setting name. */
export type Draft = Readonly<Partial<Record<Setting['name'], string>>>;

/** Returns the changed settings. Sends an invalid number as text, so that the server rejects it. */
export function patchOf(settings: readonly Setting[], draft: Draft): ServicePatch {
  const changed = settings.filter(({ name, value }) => (draft[name] ?? value) !== value);
  const members = changed.map(({ name, kind }) => {
    const text = draft[name] ?? '';
    const isNumber = kind === 'number' && /^-?\d+(\.\d+)?$/.test(text.trim());
    return [name, isNumber ? Number(text) : text] as const;
  });
  return Object.fromEntries(members);
}
