import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks every process of a run. */
export const RUN_MARK = 'STOA_RUN';

/** Returns the kernel's boot id. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Returns whether a process belongs to a run, because a process id may have been reused. */
export function belongsToRun(pid: number | undefined, token: string): boolean {
  if (pid === undefined) return false;
  try {
    const env = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return env.split('\0').includes(`${RUN_MARK}=${token}`);
  } catch {
    return false;
  }
}

/** Returns the processes with the mark of a run; a process can remove its mark. */
export function listMarkedPids(token: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => belongsToRun(pid, token));
}

/** Sends a signal to a process, or to a group if the number is negative. Ignores missing ones. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    return;
  }
}

/**
 * Sends one signal per process: to a process group, and to those of the other processes that are
 * outside it.
 */
export function signalGroup(group: number, others: readonly number[], name: NodeJS.Signals): void {
  const outside = others.filter((pid) => readProcessGroup(pid) !== group);
  sendSignal(-group, name);
  for (const pid of outside) sendSignal(pid, name);
}

/** Returns the process group of a process; `undefined` if it is gone. */
function readProcessGroup(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name can contain spaces and brackets; the fields after it cannot.
    const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(group);
  } catch {
    return undefined;
  }
}
