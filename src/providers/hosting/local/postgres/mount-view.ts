import type { Sandbox } from '../sandbox.ts';
import type { ServerPaths } from './files.ts';
import type { PostgresPrograms } from './programs.ts';

const FILES_MAX = 4_096;
const MOUNTED = {
  data: '/mnt/data',
  settings: '/mnt/settings',
  programs: '/mnt/programs',
} as const;

/** A server's program, before its mount namespace is set up. */
export interface ServerCommand {
  readonly name: 'postgres' | 'initdb';
  readonly args: readonly string[];
  readonly paths: ServerPaths;
  readonly programs: PostgresPrograms;
  /** User and group, at level `user`. */
  readonly uid: number;
  /** Folder accessible only to the daemon. */
  readonly hidden: string;
  /** Maximum private memory of each process, in bytes. */
  readonly processBytes: number;
}

/**
 * Mount namespace with the server's folder, settings and programs under `/mnt`, a user list that
 * contains its user, and an empty data directory.
 */
const VIEW_SCRIPT = [
  'set -e',
  'data=$1 settings=$2 programs=$3 hidden=$4 shared=$5; shift 5',
  'mount --make-rprivate /',
  'mount -t tmpfs -o size=16m,mode=755 stoa /mnt',
  `mkdir ${Object.values(MOUNTED).join(' ')}`,
  `mount --bind "$data" ${MOUNTED.data}`,
  `mount --bind "$settings" ${MOUNTED.settings}`,
  `mount -o remount,bind,ro ${MOUNTED.settings}`,
  `if [ -n "$programs" ]; then mount --bind "$programs" ${MOUNTED.programs}`,
  `mount -o remount,bind,ro ${MOUNTED.programs}; fi`,
  `mount --bind ${MOUNTED.settings}/passwd /etc/passwd`,
  'mount -t tmpfs -o size=1m,mode=700 stoa "$hidden"',
  'mount -t tmpfs -o size=16m,mode=1777 stoa /tmp',
  'mount -t tmpfs -o "size=$shared,mode=1777" stoa /dev/shm',
  `cd ${MOUNTED.data}`,
  'exec "$@"',
].join('\n');

/** Returns the folders as seen by a server. */
export function getSeenPaths({ level }: Pick<Sandbox, 'level'>, { data, settings }: ServerPaths) {
  return level === 'user' ? { data: MOUNTED.data, settings: MOUNTED.settings } : { data, settings };
}

/** Returns the command that runs a server's program as its own user. */
export function wrapCommand(
  { level }: Pick<Sandbox, 'level'>,
  program: ServerCommand,
): readonly string[] {
  const { name, args, paths, programs, uid, hidden, processBytes } = program;
  const limits = [
    ...['prlimit', `--nofile=${FILES_MAX}:${FILES_MAX}`, '--core=0:0'],
    `--data=${processBytes}:${processBytes}`,
  ];
  if (level === 'process') return [...limits, `${programs.folder}/bin/${name}`, ...args];
  const folder = programs.isFetched ? MOUNTED.programs : programs.folder;
  const mountedFolder = programs.isFetched ? programs.folder : '';
  return [
    ...['unshare', '--mount', '--', 'sh', '-c', VIEW_SCRIPT, 'stoa'],
    ...[paths.data, paths.settings, mountedFolder, hidden, String(processBytes)],
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ...limits,
    ...[`${folder}/bin/${name}`, ...args],
  ];
}

/** Returns a user list with root and the user of a server. */
export function formatUsers(uid: number): string {
  return `root:x:0:0::/:/bin/false\npostgres:x:${uid}:${uid}::${MOUNTED.data}:/bin/false\n`;
}
