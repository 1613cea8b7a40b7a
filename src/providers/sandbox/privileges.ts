/** Most open files of one process. */
const FILES_MAX = 4_096;

/**
 * Returns the program and arguments that run another program as a user of its own: without groups,
 * capabilities or new privileges, and with limits on open files and core dumps.
 *
 * @param confined - The result of `detectConfinement`.
 */
export function dropPrivileges(uid: number, confined: readonly string[]): readonly string[] {
  return [
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    ...['prlimit', `--nofile=${FILES_MAX}:${FILES_MAX}`, '--core=0:0'],
    ...confined,
  ];
}
