/** Open files of one process. */
const FILES_MAX = 4_096;

/**
 * Program and arguments that run another program as a user that is nobody else on this machine:
 * without groups, capabilities or new privileges, with bounds on open files and core dumps.
 *
 * @param confined - What `confining` found to be possible here.
 */
export function dropPrivileges(uid: number, confined: readonly string[]): readonly string[] {
  return [
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ...['prlimit', `--nofile=${FILES_MAX}:${FILES_MAX}`, '--core=0:0'],
    ...confined,
  ];
}
