import type { Sandbox } from '../sandbox.ts';
import type { ServerPlace } from './files.ts';
import type { PostgresPrograms } from './programs.ts';

const FILES_MAX = 4_096;
const SEEN = { data: '/mnt/data', settings: '/mnt/settings', programs: '/mnt/programs' } as const;

/** A server's program, before its mount namespace is set up. */
export interface ServerProgram {
  readonly name: 'postgres' | 'initdb';
  readonly args: readonly string[];
  readonly place: ServerPlace;
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
const VIEW = [
  'set -e',
  'data=$1 settings=$2 programs=$3 hidden=$4 shared=$5; shift 5',
  'mount --make-rprivate /',
  'mount -t tmpfs -o size=16m,mode=755 stoa /mnt',
  `mkdir ${Object.values(SEEN).join(' ')}`,
  `mount --bind "$data" ${SEEN.data}`,
  `mount --bind "$settings" ${SEEN.settings}`,
  `mount -o remount,bind,ro ${SEEN.settings}`,
  `if [ -n "$programs" ]; then mount --bind "$programs" ${SEEN.programs}`,
  `mount -o remount,bind,ro ${SEEN.programs}; fi`,
  `mount --bind ${SEEN.settings}/passwd /etc/passwd`,
  'mount -t tmpfs -o size=1m,mode=700 stoa "$hidden"',
  'mount -t tmpfs -o size=16m,mode=1777 stoa /tmp',
  'mount -t tmpfs -o "size=$shared,mode=1777" stoa /dev/shm',
  `cd ${SEEN.data}`,
  'exec "$@"',
].join('\n');

/** Returns the folders as seen by a server. */
export function seenPlaces({ level }: Pick<Sandbox, 'level'>, { data, settings }: ServerPlace) {
  return level === 'user' ? { data: SEEN.data, settings: SEEN.settings } : { data, settings };
}

/** Returns the command that runs a server's program as its own user. */
export function viewed(
  { level }: Pick<Sandbox, 'level'>,
  program: ServerProgram,
): readonly string[] {
  const { name, args, place, programs, uid, hidden, processBytes } = program;
  const limits = [
    ...['prlimit', `--nofile=${FILES_MAX}:${FILES_MAX}`, '--core=0:0'],
    `--data=${processBytes}:${processBytes}`,
  ];
  if (level === 'process') return [...limits, `${programs.folder}/bin/${name}`, ...args];
  const folder = programs.isFetched ? SEEN.programs : programs.folder;
  const shown = programs.isFetched ? programs.folder : '';
  return [
    ...['unshare', '--mount', '--', 'sh', '-c', VIEW, 'stoa'],
    ...[place.data, place.settings, shown, hidden, String(processBytes)],
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ...limits,
    ...[`${folder}/bin/${name}`, ...args],
  ];
}

/** Returns a user list with root and the user of a server. */
export function usersText(uid: number): string {
  return `root:x:0:0::/:/bin/false\npostgres:x:${uid}:${uid}::${SEEN.data}:/bin/false\n`;
}
