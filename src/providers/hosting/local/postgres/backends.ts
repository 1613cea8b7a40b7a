import { readFileSync } from 'node:fs';
import { ADMIN_ROLE } from './settings.ts';

/** Process title of a backend: role, database, and client address. */
const BACKEND_TITLE = /^postgres: (\S+) \S+ (?:\[local\]|[\da-f.:]+\(\d+\))/;

/** Returns the number of client connections of a server, without the administrator's. */
export function countClients(pids: readonly number[]): number {
  const roles = pids.map((pid) => BACKEND_TITLE.exec(readTitle(pid))?.[1]);
  return roles.filter((role) => role !== undefined && role !== ADMIN_ROLE).length;
}

function readTitle(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
