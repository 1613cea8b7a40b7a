import type { Sandbox } from '../sandbox.ts';
import type { ServerPlace } from './files.ts';
import type { PostgresPrograms } from './programs.ts';

const FILES_MAX = 4_096;
const SEEN = { data: '/mnt/data', settings: '/mnt/settings', programs: '/mnt/programs' } as const;

/** A program of a server, before it is put into its view. */
export interface ServerProgram {
  readonly name: 'postgres' | 'initdb';
  readonly args: readonly string[];
  readonly place: ServerPlace;
  readonly programs: PostgresPrograms;
  /** User and group, at level `user`. */
  readonly uid: number;
  /** Folder that nobody but the daemon may look into. */
  readonly hidden: string;
  /** Most private memory of each process, in bytes. */
  readonly processBytes: number;
}

/**
 * A view of the disk with the server's own folder, its settings and its programs under `/mnt`, a
 * list of users that knows its user, and nothing where the data directory is.
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

/** Folders as a server sees them. */
export function seenPlaces({ level }: Pick<Sandbox, 'level'>, { data, settings }: ServerPlace) {
  return level === 'user' ? { data: SEEN.data, settings: SEEN.settings } : { data, settings };
}

/** Program and arguments that run a program of a server as its own user. */
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

/** A list of users with root and the one of a server. */
export function usersText(uid: number): string {
  return `root:x:0:0::/:/bin/false\npostgres:x:${uid}:${uid}::${SEEN.data}:/bin/false\n`;
}
