import type { EnvVar } from '../../../../domain/hosting/records.ts';
import type { HostedVersion } from '../../../../domain/hosting/service-host.ts';
import type { RunOrder } from '../keeper.ts';
import { releasePlace } from '../layout.ts';
import {
  type HostParts,
  orderOf,
  ownVariables,
  type ProgramOrder,
  programOf,
} from '../programs.ts';
import { carryVariables } from '../variables.ts';
import { builderHere } from './builder.ts';
import { imageBuildCommand, withOwnUser } from './image-build.ts';
import { type ImageConfig, readImage } from './image-files.ts';
import { imageRunCommand } from './image-run.ts';

/** A run order, or what is missing for it. */
export type Prepared = { readonly order: RunOrder } | { readonly missing: string };

/** Default search path in an image. */
const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Variables of the machine that an image does not inherit. */
const OF_MACHINE: readonly string[] = ['PATH', 'HOME'];

/** Creates the order that builds the image of a version. */
export function imageBuildOf(
  parts: HostParts,
  version: HostedVersion,
  order: Omit<ProgramOrder, 'command'>,
): Prepared {
  const { layout, sandbox } = parts;
  const { service, env } = version;
  const { serviceDetails: details } = service;
  const builder = builderHere(sandbox);
  if (!builder.able) return { missing: builder.why };
  if (!('dockerfilePath' in details)) return { missing: 'a Dockerfile' };
  const { dockerfilePath, dockerContext } = details;
  const names = env.map(({ key }) => key);
  const recipe = { builder: builder.file, dockerfilePath, dockerContext, names };
  const built = programOf(parts, version, { ...order, command: imageBuildCommand(recipe) });
  return { order: { ...built, argv: withOwnUser(layout.uidOf(service.id), built.argv) } };
}

/** Creates the order that runs a command of a version, in its image if it has one. */
export function tenantProgramOf(
  parts: HostParts,
  version: HostedVersion,
  order: ProgramOrder,
): Prepared {
  const { service, releaseId } = version;
  const { serviceDetails: details } = service;
  const isImage = 'runtime' in details && details.runtime === 'docker';
  if (!isImage) return { order: programOf(parts, version, order) };
  const image = readImage(releasePlace(parts.layout.release(service.id, releaseId)).tree);
  if (typeof image === 'string') return { missing: image };
  const argv = argvOf(image, order.command);
  if (argv.length === 0) return { missing: 'a command, because the image defines none' };
  const machine = ownVariables(parts, version, order);
  const own = Object.fromEntries(
    Object.entries(machine).filter(([key]) => !OF_MACHINE.includes(key)),
  );
  const { env, unpack } = carryVariables([...variablesOf(image), ...version.env], own);
  const command = imageRunCommand(image, argv, unpack);
  return { order: orderOf(parts, version, { ...order, command, env: { ...machine, ...env } }) };
}

/** Returns the image's own command, or the given one, run by the image's shell if it has one. */
function argvOf({ argv, hasShell }: ImageConfig, command: string): readonly string[] {
  if (command === '') return argv;
  return hasShell ? ['/bin/sh', '-c', command] : command.split(/\s+/).filter((word) => word !== '');
}

function variablesOf({ env }: ImageConfig): readonly EnvVar[] {
  const own = env
    .map((line) => ({ at: line.indexOf('='), line }))
    .filter(({ line }) => /^[A-Za-z_]\w*=/.test(line))
    .map(({ at, line }) => ({ key: line.slice(0, at), value: line.slice(at + 1) }));
  return [{ key: 'PATH', value: PATH_DEFAULT }, { key: 'HOME', value: '/tmp' }, ...own];
}
