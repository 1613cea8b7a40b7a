import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  DEFAULT_SERVICE_PLAN,
  type PlanLimits,
  SERVICE_PLANS,
} from '../../../domain/hosting/plans.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import type { HostedVersion } from '../../../domain/ports/service-host.ts';
import type { Keeper, RunOrder } from './keeper.ts';
import type { Layout } from './layout.ts';
import { releasePlace } from './layout.ts';
import type { Sandbox } from './sandbox.ts';

const run = promisify(execFile);

/** What everything that starts programs works with. */
export interface HostParts {
  readonly layout: Layout;
  readonly keeper: Keeper;
  readonly sandbox: Sandbox;
}

/** A command of a service. */
export interface ProgramOrder {
  readonly type: RunOrder['type'];
  readonly command: string;
  readonly limits: PlanLimits;
  readonly instance?: string;
  readonly port?: number;
}

/** The order that runs a command of a version in its own folder, as its own user. */
export function programOf(
  { layout, sandbox }: HostParts,
  version: HostedVersion,
  { type, command, limits, instance, port }: ProgramOrder,
): RunOrder {
  const { service, releaseId } = version;
  const cache = layout.cache(service.id);
  const folder = releasePlace(layout.release(service.id, releaseId)).tree;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const uid = layout.uidOf(service.id);
  const own = {
    PATH: sandbox.path,
    HOME: sandbox.homeOf(cache),
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...(instance === undefined ? {} : { STOA_INSTANCE_ID: instance }),
    STOA_SERVICE_ID: service.id,
    STOA_SERVICE_NAME: service.name,
    STOA_GIT_COMMIT: version.commitId ?? '',
    STOA_GIT_BRANCH: service.branch,
  };
  return {
    service: service.id,
    type,
    limits,
    ...(instance === undefined ? {} : { instance }),
    ...(port === undefined ? {} : { port }),
    argv: sandbox.wrap({ folder, cache, uid, command, hidden: layout.root }),
    env: { ...Object.fromEntries(version.env.map(({ key, value }) => [key, value])), ...own },
  };
}

/** Gives folders to the user of a service, links in them as links. */
export async function giveToTenant(
  { layout, sandbox }: HostParts,
  serviceId: string,
  folders: readonly string[],
): Promise<void> {
  if (sandbox.level !== 'user') return;
  const uid = layout.uidOf(serviceId);
  await run('chown', ['-R', '-h', `${uid}:${uid}`, '--', ...folders]);
}

/** What an instance of a service may use. */
export function limitsOf({ serviceDetails }: Service): PlanLimits {
  return SERVICE_PLANS['plan' in serviceDetails ? serviceDetails.plan : DEFAULT_SERVICE_PLAN];
}
