import { SERVICE_PLANS } from '../../../src/domain/hosting/plans.ts';
import type { Service } from '../../../src/domain/hosting/records.ts';
import type { ServicePatch } from '../../../src/domain/hosting/service-patch.ts';
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
const COMMON_SETTINGS: readonly Spec[] = [
  { name: 'name', label: 'Name', kind: 'line' },
  { name: 'branch', label: 'Branch', kind: 'line', hint: 'Changing it starts a build.' },
  {
    name: 'autoDeploy',
    label: 'Auto-deploy',
    kind: 'choice',
    choices: AUTO_DEPLOY,
  },
];
const BUILD_SETTING: Spec = { name: 'buildCommand', label: 'Build command', kind: 'command' };
const NATIVE_SETTINGS: readonly Spec[] = [
  BUILD_SETTING,
  { name: 'startCommand', label: 'Start command', kind: 'command' },
];
const DOCKER_SETTINGS: readonly Spec[] = [
  { name: 'dockerfilePath', label: 'Dockerfile', kind: 'line' },
  { name: 'dockerContext', label: 'Build context', kind: 'line' },
  {
    name: 'dockerCommand',
    label: 'Command',
    kind: 'command',
    hint: 'If empty, the entry point and command of the Dockerfile are used.',
  },
];
const PLAN_SETTING: Spec = {
  name: 'plan',
  label: 'Plan',
  kind: 'choice',
  hint: PLAN_HINT,
  choices: Object.keys(SERVICE_PLANS),
};
const WEB_SETTINGS: readonly Spec[] = [
  PLAN_SETTING,
  { name: 'numInstances', label: 'Instances', kind: 'number' },
  {
    name: 'healthCheckPath',
    label: 'Health check path',
    kind: 'line',
    hint: 'For example, /healthz. If empty, a listening port is enough.',
  },
  {
    name: 'preDeployCommand',
    label: 'Pre-deploy command',
    kind: 'command',
    hint: 'Runs before each deploy goes live. Empty for none.',
  },
  {
    name: 'maxShutdownDelaySeconds',
    label: 'Shutdown delay, seconds',
    kind: 'number',
    hint: 'Time between SIGTERM and SIGKILL.',
  },
];
const SITE_SETTINGS: readonly Spec[] = [
  BUILD_SETTING,
  { name: 'publishPath', label: 'Publish path', kind: 'line' },
];
const CRON_SETTINGS: readonly Spec[] = [
  PLAN_SETTING,
  {
    name: 'schedule',
    label: 'Schedule',
    kind: 'line',
    hint: 'Five fields, in UTC: minute, hour, day, month, weekday.',
  },
];

/** Returns the settings of a service with their current values. */
export function listSettings(service: Service): readonly Setting[] {
  const details: Readonly<Record<string, unknown>> = service.serviceDetails;
  const all = { ...details, ...service } as Readonly<Record<string, unknown>>;
  return listSpecs(service).map((spec) => ({ ...spec, value: toText(all[spec.name]) }));
}

function toText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

function listSpecs({ type, serviceDetails }: Service): readonly Spec[] {
  const run =
    'runtime' in serviceDetails && serviceDetails.runtime === 'docker'
      ? DOCKER_SETTINGS
      : NATIVE_SETTINGS;
  switch (type) {
    case 'web_service':
      return [...COMMON_SETTINGS, ...run, ...WEB_SETTINGS];
    case 'static_site':
      return [...COMMON_SETTINGS, ...SITE_SETTINGS];
    case 'cron_job':
      return [...COMMON_SETTINGS, ...run, ...CRON_SETTINGS];
  }
}

/** Edited values by setting name. */
export type Draft = Readonly<Partial<Record<Setting['name'], string>>>;

/** Returns the changed settings. Sends an invalid number as text, so that the server rejects it. */
export function createPatch(settings: readonly Setting[], draft: Draft): ServicePatch {
  const changed = settings.filter(({ name, value }) => (draft[name] ?? value) !== value);
  const members = changed.map(({ name, kind }) => {
    const text = draft[name] ?? '';
    const isNumber = kind === 'number' && /^-?\d+(\.\d+)?$/.test(text.trim());
    return [name, isNumber ? Number(text) : text] as const;
  });
  return Object.fromEntries(members);
}
