import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/** Tells whether one of the processes listens on a port. */
export function ownsPort(pids: readonly number[], port: number): boolean {
  const inodes = listeners(port);
  if (inodes.size === 0) return false;
  return pids.some((pid) => socketsOf(pid).some((inode) => inodes.has(inode)));
}

/** Sockets that listen on a port, by the kernel's number. */
function listeners(port: number): ReadonlySet<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const found = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => {
    const [, ...rows] = lines(file);
    return rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${wanted}`) && state === '0A')
      .map((cells) => cells[9] ?? '');
  });
  return new Set(found);
}

function socketsOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
