import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  DEFAULT_SERVICE_PLAN,
  type PlanLimits,
  SERVICE_PLANS,
} from '../../../../domain/hosting/plans.ts';
import type { EnvVar, Service } from '../../../../domain/hosting/records.ts';
import type { HostedVersion } from '../../../../domain/hosting/service-host.ts';
import { execFile } from '../../../../system/child.ts';
import type { Layout } from '../layout.ts';
import { getReleasePaths } from '../layout.ts';
import type { Firewall } from '../network/firewall.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Runner, RunOrder } from './runner.ts';

const run = promisify(execFile);
/** Default variable of every program, because some runtimes would assume Latin 1. */
const DEFAULT_VARIABLE = { key: 'LANG', value: 'C.UTF-8' };

/** Prefix of variable names while a program's namespace is set up. */
const PREFIX = 'STOA_GIVEN_';
const NAMES = 'STOA_GIVEN';

/** Restores the variable names; values are never evaluated. Runs as the tenant. */
const UNPACK_SCRIPT = [
  `for __stoa in $${NAMES}; do`,
  `eval "export $__stoa=\\"\\$${PREFIX}$__stoa\\"";`,
  `unset "${PREFIX}$__stoa"; done; unset ${NAMES} __stoa`,
].join(' ');

/** Dependencies of everything that starts programs. */
export interface HostParts {
  readonly layout: Layout;
  readonly runner: Runner;
  readonly sandbox: Sandbox;
  readonly network: Firewall;
}

/** A command of a service to run. */
export interface ProgramOrder {
  readonly type: RunOrder['type'];
  readonly command: string;
  readonly limits: PlanLimits;
  readonly instance?: string;
  readonly port?: number;
}

/** Creates the order that runs a command of a version in its folder, as its own user. */
export function createProgramOrder(
  parts: HostParts,
  version: HostedVersion,
  order: ProgramOrder,
): RunOrder {
  const own = hostVariables(parts, version, order);
  const { env, unpack } = packVariables([DEFAULT_VARIABLE, ...version.env], own);
  return createOrder(parts, version, { ...order, command: `${unpack}\n${order.command}`, env });
}

/** Creates an order from a complete command and environment. */
export function createOrder(
  { layout, sandbox, network }: HostParts,
  { service, releaseId }: HostedVersion,
  { command, env, ...order }: ProgramOrder & Pick<RunOrder, 'env'>,
): RunOrder {
  const cache = layout.cache(service.id);
  const folder = getReleasePaths(layout.release(service.id, releaseId)).tree;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  network.admit(service.id, { workspaceId: service.ownerId, isStore: false });
  const uid = layout.assignUid(service.id);
  const argv = sandbox.wrap({ folder, cache, uid, command, hidden: layout.root });
  return { ...order, service: service.id, argv, env };
}

/** Returns the variables set by the host, which services cannot override. */
export function hostVariables(
  { layout, sandbox }: HostParts,
  { service, commitId }: HostedVersion,
  { instance, port }: Pick<ProgramOrder, 'instance' | 'port'>,
): Readonly<Record<string, string>> {
  return {
    PATH: sandbox.path,
    HOME: sandbox.homeOf(layout.cache(service.id)),
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...(instance === undefined ? {} : { STOA_INSTANCE_ID: instance }),
    STOA_SERVICE_ID: service.id,
    STOA_SERVICE_NAME: service.name,
    STOA_GIT_COMMIT: commitId ?? '',
    STOA_GIT_BRANCH: service.branch,
  };
}

/**
 * Passes a service's variables through the programs that set up its namespace, which run as root
 * and would obey some of them (`LD_PRELOAD`). Variables in `own` are unchanged.
 *
 * @returns The environment for the setup, and shell code that the tenant runs first.
 */
export function packVariables(
  variables: readonly EnvVar[],
  own: Readonly<Record<string, string>>,
): { readonly env: Readonly<Record<string, string>>; readonly unpack: string } {
  // The later one of two variables with the same name wins.
  const given = new Map(variables.map(({ key, value }) => [key, value]));
  const names = [...given.keys()].filter((key) => !(key in own));
  const packed = names.map((key) => [`${PREFIX}${key}`, given.get(key) ?? ''] as const);
  return {
    env: { ...own, [NAMES]: names.join(' '), ...Object.fromEntries(packed) },
    unpack: UNPACK_SCRIPT,
  };
}

/** Gives folders to the user of a service without following links. */
export async function giveToTenant(
  { layout, sandbox }: HostParts,
  serviceId: string,
  folders: readonly string[],
): Promise<void> {
  if (sandbox.level !== 'user') return;
  const uid = layout.assignUid(serviceId);
  await run('chown', ['-R', '-h', `${uid}:${uid}`, '--', ...folders]);
}

/** Returns the resource limits of a service's instance. */
export function getPlanLimits({ serviceDetails }: Service): PlanLimits {
  return SERVICE_PLANS['plan' in serviceDetails ? serviceDetails.plan : DEFAULT_SERVICE_PLAN];
}
