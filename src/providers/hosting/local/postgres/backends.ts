import { readFileSync } from 'node:fs';
import { ADMIN_ROLE } from './settings.ts';

/** How a process of a server names the client that it serves: role, database, and from where. */
const SERVING = /^postgres: (\S+) \S+ (?:\[local\]|[\da-f.:]+\(\d+\))/;

/** How many connections the processes of a server serve, without our own. */
export function servedClients(pids: readonly number[]): number {
  const roles = pids.map((pid) => SERVING.exec(titleOf(pid))?.[1]);
  return roles.filter((role) => role !== undefined && role !== ADMIN_ROLE).length;
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
