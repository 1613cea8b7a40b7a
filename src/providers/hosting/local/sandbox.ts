import { spawnSync } from '../../../system/child.ts';
import { confining } from '../../sandbox/confinement.ts';
import { PATH_DEFAULT, type SandboxLevel } from '../../sandbox/find-program.ts';
import { dropPrivileges } from '../../sandbox/privileges.ts';

/** Where a tenant sees its build. */
const APP = '/mnt/app';
const HOME = '/mnt/cache';

/** What a program is started with. */
export interface SandboxOrder {
  /** Folder of the build, which the program may write to. */
  readonly folder: string;
  /** A folder that is kept from build to build; its home. */
  readonly cache: string;
  /** User and group, at level `user`. */
  readonly uid: number;
  /** Run by `/bin/sh -c`. */
  readonly command: string;
  /** Folder that nobody but the daemon may look into. */
  readonly hidden: string;
}

/** How programs of tenants are started here. */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** Whether programs have neither odd sockets nor abstract ones of others. */
  readonly confinesSockets: boolean;
  /** Where programs are looked for. */
  readonly path: string;
  /** Program and arguments that run an order. */
  wrap(order: SandboxOrder): readonly string[];
  /** A folder of `cache` as the program sees it: its home. */
  homeOf(cache: string): string;
}

/** Finds out how far programs can be kept apart here, by doing it once. */
export function openSandbox(env: Readonly<Record<string, string | undefined>>): Sandbox {
  const isRoot = process.getuid?.() === 0;
  const tried = isRoot
    ? spawnSync('unshare', ['--mount', '--ipc', 'setpriv', '--no-new-privs', 'true'])
    : null;
  return tried?.status === 0 ? userLevel() : processLevel(env['PATH'] ?? PATH_DEFAULT);
}

/**
 * What a tenant's view of the disk is made of: its build and its cache under `/mnt`, a `/tmp` of
 * its own, and nothing where the data directory is.
 */
const VIEW = [
  'set -e',
  'mount --make-rprivate /',
  'mount -t tmpfs -o size=16m,mode=755 stoa /mnt',
  `mkdir -p ${APP} ${HOME}`,
  `mount --bind "$1" ${APP}`,
  `mount --bind "$2" ${HOME}`,
  'mount -t tmpfs -o size=1m,mode=700 stoa "$3"',
  'mount -t tmpfs -o size=256m,mode=1777 stoa /tmp',
  // Places where everybody may write.
  'for place in /var/tmp /dev/shm /run/lock; do',
  'if [ -d "$place" ]; then mount -t tmpfs -o size=64m,mode=1777 stoa "$place"; fi; done',
  'if [ -d /dev/mqueue ]; then mount -t tmpfs -o size=1m,mode=755 stoa /dev/mqueue; fi',
  // Kernels before 5.8 do not know the word: there, names of processes are seen.
  'mount -t proc -o hidepid=invisible stoa /proc 2>/dev/null || true',
  `cd ${APP}`,
  'shift 3',
  'exec "$@"',
].join('\n');

function userLevel(): Sandbox {
  const confined = confining();
  return {
    level: 'user',
    confinesSockets: confined.length > 0,
    path: PATH_DEFAULT,
    homeOf: () => HOME,
    wrap: ({ folder, cache, uid, command, hidden }) => [
      ...['unshare', '--mount', '--ipc', '--', 'sh', '-c', VIEW, 'stoa', folder, cache, hidden],
      ...dropPrivileges(uid, confined),
      ...['/bin/sh', '-c', command],
    ],
  };
}

function processLevel(path: string): Sandbox {
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
