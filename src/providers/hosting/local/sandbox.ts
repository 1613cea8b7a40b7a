import { spawnSync } from '../../../system/child.ts';
import { detectConfinement } from '../../sandbox/confinement.ts';
import { PATH_DEFAULT, type SandboxLevel } from '../../sandbox/find-program.ts';
import { dropPrivileges } from '../../sandbox/privileges.ts';

/** Paths of a build and its cache, as seen by a tenant. */
const APP = '/mnt/app';
const HOME = '/mnt/cache';

/** What to run in a sandbox. */
export interface SandboxOrder {
  /** Folder of the build, writable by the program. */
  readonly folder: string;
  /** A folder kept between builds; the program's home. */
  readonly cache: string;
  /** User and group, at level `user`. */
  readonly uid: number;
  /** Run by `/bin/sh -c`. */
  readonly command: string;
  /** Folder accessible only to the daemon. */
  readonly hidden: string;
}

/** Starts tenant programs in isolation. */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** Whether unusual sockets and foreign abstract sockets are blocked. */
  readonly confinesSockets: boolean;
  /** Search path for programs. */
  readonly path: string;
  /** Returns the command that runs an order. */
  wrap(order: SandboxOrder): readonly string[];
  /** Returns the program's home, which is the `cache` folder as seen by it. */
  homeOf(cache: string): string;
}

/** Probes once how well programs can be isolated here. */
export function openSandbox(env: Readonly<Record<string, string | undefined>>): Sandbox {
  const isRoot = process.getuid?.() === 0;
  const probe = isRoot
    ? spawnSync('unshare', ['--mount', '--ipc', 'setpriv', '--no-new-privs', 'true'])
    : null;
  return probe?.status === 0
    ? createUserSandbox()
    : createProcessSandbox(env['PATH'] ?? PATH_DEFAULT);
}

/**
 * Mount namespace of a tenant: its build and cache under `/mnt`, a private `/tmp`, and an empty
 * data directory.
 */
const VIEW_SCRIPT = [
  'set -e',
  'mount --make-rprivate /',
  'mount -t tmpfs -o size=16m,mode=755 stoa /mnt',
  `mkdir -p ${APP} ${HOME}`,
  `mount --bind "$1" ${APP}`,
  `mount --bind "$2" ${HOME}`,
  'mount -t tmpfs -o size=1m,mode=700 stoa "$3"',
  'mount -t tmpfs -o size=256m,mode=1777 stoa /tmp',
  // World-writable folders.
  'for place in /var/tmp /dev/shm /run/lock; do',
  'if [ -d "$place" ]; then mount -t tmpfs -o size=64m,mode=1777 stoa "$place"; fi; done',
  'if [ -d /dev/mqueue ]; then mount -t tmpfs -o size=1m,mode=755 stoa /dev/mqueue; fi',
  // Kernels before 5.8 do not support this value; there, process names are visible.
  'mount -t proc -o hidepid=invisible stoa /proc 2>/dev/null || true',
  `cd ${APP}`,
  'shift 3',
  'exec "$@"',
].join('\n');

function createUserSandbox(): Sandbox {
  const confined = detectConfinement();
  return {
    level: 'user',
    confinesSockets: confined.length > 0,
    path: PATH_DEFAULT,
    homeOf: () => HOME,
    wrap: ({ folder, cache, uid, command, hidden }) => [
      ...[
        'unshare',
        '--mount',
        '--ipc',
        '--',
        'sh',
        '-c',
        VIEW_SCRIPT,
        'stoa',
        folder,
        cache,
        hidden,
      ],
      ...dropPrivileges(uid, confined),
      ...['/bin/sh', '-c', command],
    ],
  };
}

function createProcessSandbox(path: string): Sandbox {
  return {
    level: 'process',
    confinesSockets: false,
    path,
    homeOf: (cache) => cache,
    wrap: ({ folder, command }) => [
      ...['sh', '-c', 'cd "$1" && exec /bin/sh -c "$2"', 'stoa', folder, command],
    ],
  };
}
