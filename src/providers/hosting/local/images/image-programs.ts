import type { EnvVar } from '../../../../domain/hosting/records.ts';
import type { HostedVersion } from '../../../../domain/hosting/service-host.ts';
import { getReleasePaths } from '../layout.ts';
import {
  createOrder,
  createProgramOrder,
  type HostParts,
  hostVariables,
  type ProgramOrder,
  packVariables,
} from '../run/program-order.ts';
import type { RunOrder } from '../run/runner.ts';
import { detectBuilder } from './builder.ts';
import { imageBuildCommand, quoteWords, withOwnUser } from './image-build.ts';
import { IMAGE_FOLDER, type ImageConfig, readImage } from './image-files.ts';

/** A run order, or what is missing for it. */
export type PreparedOrder = { readonly order: RunOrder } | { readonly missing: string };

/** Default search path in an image. */
const PATH_DEFAULT = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Variables of the machine that an image does not inherit. */
const MACHINE_VARIABLES: readonly string[] = ['PATH', 'HOME'];

/**
 * Mounts a writable in-memory layer over the image's files and adds what images expect: `/proc`, a
 * few devices, `/tmp`, and host names. Runs entirely as the tenant.
 */
const VIEW_SCRIPT = [
  'set -e',
  'all=/tmp/image/all; up=/tmp/image/up',
  'mkdir -p "$all" /tmp/image/work "$up/proc" "$up/dev" "$up/tmp" "$up/etc"',
  'chmod 755 "$up"; chmod 1777 "$up/tmp"',
  'for file in resolv.conf hosts; do cp "/etc/$file" "$up/etc/" 2> /dev/null || true; done',
  `mount -t overlay -o "userxattr,lowerdir=$PWD/${IMAGE_FOLDER}/root,` +
    'upperdir=$up,workdir=/tmp/image/work" image "$all"',
  'mount --rbind /proc "$all/proc"',
  'mount -t tmpfs -o size=16m,mode=755 devices "$all/dev"',
  'for name in null zero full random urandom tty; do ' +
    'touch "$all/dev/$name"; mount --bind "/dev/$name" "$all/dev/$name"; done',
  'ln -s /proc/self/fd "$all/dev/fd"',
  'n=0; for name in stdin stdout stderr; do ln -s "/proc/self/fd/$n" "$all/dev/$name"; ' +
    'n=$((n + 1)); done',
  'mkdir -m 1777 "$all/dev/shm"',
  'user=$1; folder=$2; unshare=$(command -v unshare); shift 2',
].join('\n');

/** Last step: enters the image as the user that it specifies. */
const ENTER_SCRIPT =
  'exec "$unshare" --user "--map-user=$user" "--map-group=$user" --root=/tmp/image/all ' +
  '"--wd=$folder" -- "$@"';

/** Creates the order that builds the image of a version. */
export function createImageBuild(
  parts: HostParts,
  version: HostedVersion,
  order: Omit<ProgramOrder, 'command'>,
): PreparedOrder {
  const { layout, sandbox } = parts;
  const { service, env } = version;
  const { serviceDetails: details } = service;
  const builder = detectBuilder(sandbox);
  if (!builder.able) return { missing: builder.why };
  if (!('dockerfilePath' in details)) return { missing: 'a Dockerfile' };
  const { dockerfilePath, dockerContext } = details;
  const names = env.map(({ key }) => key);
  const recipe = { builder: builder.file, dockerfilePath, dockerContext, names };
  const built = createProgramOrder(parts, version, {
    ...order,
    command: imageBuildCommand(recipe),
  });
  return { order: { ...built, argv: withOwnUser(layout.assignUid(service.id), built.argv) } };
}

/** Creates the order that runs a command of a version, in its image if it has one. */
export function createTenantProgram(
  parts: HostParts,
  version: HostedVersion,
  order: ProgramOrder,
): PreparedOrder {
  const { service, releaseId } = version;
  const { serviceDetails: details } = service;
  const isImage = 'runtime' in details && details.runtime === 'docker';
  if (!isImage) return { order: createProgramOrder(parts, version, order) };
  const image = readImage(getReleasePaths(parts.layout.release(service.id, releaseId)).tree);
  if (typeof image === 'string') return { missing: image };
  const argv = resolveArgv(image, order.command);
  if (argv.length === 0) return { missing: 'a command, because the image defines none' };
  const machine = hostVariables(parts, version, order);
  const own = Object.fromEntries(
    Object.entries(machine).filter(([key]) => !MACHINE_VARIABLES.includes(key)),
  );
  const { env, unpack } = packVariables([...parseVariables(image), ...version.env], own);
  const command = imageRunCommand(image, argv, unpack);
  return { order: createOrder(parts, version, { ...order, command, env: { ...machine, ...env } }) };
}

/**
 * Returns the command that runs an image's program, as the tenant.
 *
 * @param unpack - Restores the variable names just before the program starts.
 */
function imageRunCommand(
  { userId, workingDir }: ImageConfig,
  argv: readonly string[],
  unpack: string,
): string {
  const script = [VIEW_SCRIPT, unpack, ENTER_SCRIPT].join('\n');
  const inside = ['unshare', '--user', '--map-root-user', '--mount', '--', '/bin/sh', '-c', script];
  return `exec ${quoteWords([...inside, 'stoa', String(userId), workingDir, ...argv])}`;
}

/** Returns the image's own command, or the given one, run by the image's shell if it has one. */
function resolveArgv({ argv, hasShell }: ImageConfig, command: string): readonly string[] {
  if (command === '') return argv;
  return hasShell ? ['/bin/sh', '-c', command] : command.split(/\s+/).filter((word) => word !== '');
}

function parseVariables({ env }: ImageConfig): readonly EnvVar[] {
  const own = env
    .map((line) => ({ at: line.indexOf('='), line }))
    .filter(({ line }) => /^[A-Za-z_]\w*=/.test(line))
    .map(({ at, line }) => ({ key: line.slice(0, at), value: line.slice(at + 1) }));
  return [{ key: 'PATH', value: PATH_DEFAULT }, { key: 'HOME', value: '/tmp' }, ...own];
}
