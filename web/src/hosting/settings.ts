import type { ServicePatch } from '../../../src/domain/hosting/hosting.ts';
import { SERVICE_PLANS } from '../../../src/domain/hosting/plans.ts';
import type { Service } from '../../../src/domain/hosting/records.ts';
import { AUTO_DEPLOY } from '../../../src/domain/hosting/value-sets.ts';

/** One setting as the form shows it. */
export interface Setting {
  readonly name: Exclude<keyof ServicePatch, 'suspended'>;
  readonly label: string;
  readonly hint?: string;
  /** As it is now. */
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
  { name: 'branch', label: 'Branch', kind: 'line', hint: 'A change builds it.' },
  {
    ...{ name: 'autoDeploy', label: 'Deploy commits by itself', kind: 'choice' },
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
    hint: 'Empty: the entry point and command of the Dockerfile.',
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
    hint: 'Such as /healthz. Empty: a listening port is enough.',
  },
  {
    ...{ name: 'preDeployCommand', label: 'Pre-deploy command', kind: 'command' },
    hint: 'Ran before each cut-over; empty for none.',
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

/** The settings that a service has, with their values. */
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

/** What was typed, by setting. */
export type Draft = Readonly<Partial<Record<Setting['name'], string>>>;

/** The settings whose text is another now. What is no number is sent as it is, and refused. */
export function patchOf(settings: readonly Setting[], draft: Draft): ServicePatch {
  const changed = settings.filter(({ name, value }) => (draft[name] ?? value) !== value);
  const members = changed.map(({ name, kind }) => {
    const text = draft[name] ?? '';
    const isNumber = kind === 'number' && /^-?\d+(\.\d+)?$/.test(text.trim());
    return [name, isNumber ? Number(text) : text] as const;
  });
  return Object.fromEntries(members);
}
