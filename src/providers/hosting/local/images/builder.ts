import { SECOND_MS } from '../../../../domain/common/time.ts';
import { spawnSync } from '../../../../system/child.ts';
import { findProgram } from '../../../sandbox/find-program.ts';
import type { Sandbox } from '../sandbox.ts';

/** The image builder, which needs no daemon. */
const BUILDER = 'buildah';
const PROBE_MS = 10 * SECOND_MS;
/** A user without any files, for the probe. */
const NOBODY = '65534';

/** Mounts an overlay as an unprivileged user, as services do. */
const PROBE = [
  'set -e',
  'mount -t tmpfs stoa /mnt',
  'mkdir /mnt/low /mnt/up /mnt/work /mnt/all',
  'mount -t overlay -o userxattr,lowerdir=/mnt/low,upperdir=/mnt/up,workdir=/mnt/work ' +
    'stoa /mnt/all',
  'mount --rbind /proc /mnt/all',
].join('\n');

/** Builds images; `why` describes what is missing. */
export type ImageBuilder =
  | { readonly able: true; readonly file: string }
  | { readonly able: false; readonly why: string };

const detected = new WeakMap<Sandbox, ImageBuilder>();

/** Probes once whether images can be built and run here. */
export function detectBuilder(sandbox: Sandbox): ImageBuilder {
  const found = detected.get(sandbox) ?? probeBuilder(sandbox);
  detected.set(sandbox, found);
  return found;
}

function probeBuilder(sandbox: Sandbox): ImageBuilder {
  if (sandbox.level !== 'user') return unavailableBuilder('images need a server that runs as root');
  const file = findProgram(BUILDER, sandbox);
  if (file === undefined) return unavailableBuilder(`${BUILDER} was not found in ${sandbox.path}`);
  const asNobody = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--no-new-privs'];
  const inside = ['unshare', '--user', '--map-root-user', '--mount', '--', 'sh', '-c', PROBE];
  const probe = spawnSync('setpriv', [...asNobody, ...inside], { timeout: PROBE_MS, cwd: '/' });
  if (probe.status === 0) return { able: true, file };
  return unavailableBuilder('the kernel does not allow overlay mounts in user namespaces');
}

function unavailableBuilder(why: string): ImageBuilder {
  return {
    able: false,
    why:
      'This machine cannot build images, so it cannot host services with the runtime docker: ' +
      `${why}.`,
  };
}
