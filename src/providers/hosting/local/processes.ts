import { readdirSync, readFileSync } from 'node:fs';

/** The variable that marks every process of a run. */
export const RUN_MARK = 'STOA_RUN';

/** Names this start of the machine. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Tells whether a process is one of a run: a number alone may be another process by now. */
export function isOfRun(pid: number | undefined, token: string): boolean {
  if (pid === undefined) return false;
  try {
    const env = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return env.split('\0').includes(`${RUN_MARK}=${token}`);
  } catch {
    return false;
  }
}

/** Processes that bear the mark of a run; one may have taken it off. */
export function markedPids(token: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isOfRun(pid, token));
}

/**
 * Sends a signal to a process, or with a negative number to its group; one that is gone is fine.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    return;
  }
}

/** The process group of a process; `undefined` for one that is gone. */
export function readGroup(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of a program may hold blanks and brackets; what comes behind it does not.
    const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(group);
  } catch {
    return undefined;
  }
}
