import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Grace period before a process is killed, in milliseconds. */
const GRACE_MS = 300;
/** Most generations of a process tree. */
const GENERATIONS_MAX = 16;
/** How often to search again for processes that started meanwhile. */
const ROUNDS_MAX = 3;

/**
 * Stops a process with all of its descendants: its process group and, where `/proc` exists, also
 * those that left the group or outlived their parent. Resolves when the process has exited. Safe to
 * repeat.
 *
 * @param mark - An environment variable with its value that marks the members of the tree.
 */
export async function stopProcessTree(
  child: ChildProcess,
  exited: Promise<void>,
  mark: string,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const strays = await findDescendants(pid, mark);
  child.stdin?.end();
  sendSignal(-pid, 'SIGTERM');
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, GRACE_MS))]);
  sendSignal(-pid, 'SIGKILL');
  for (const stray of strays) sendSignal(stray, 'SIGKILL');
  await exited;
  await killMarkedProcesses((variable) => variable === mark);
}

/** Kills every process with a matching environment variable, whatever its parent. */
export async function killMarkedProcesses(isMark: (variable: string) => boolean): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const pids = await findMarkedPids(isMark);
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
  }
}

async function findMarkedPids(isMark: (variable: string) => boolean): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const rows = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const text = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
        return text.split('\0').some(isMark) && Number(name) !== process.pid ? [Number(name)] : [];
      }),
  );
  return rows.flat();
}

function sendSignal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already exited.
  }
}

/** Returns the descendants of a process from `/proc`, or none without `/proc`. */
async function findDescendants(root: number, mark: string): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  const found = new Set([root]);
  const names = await readdir('/proc').catch(() => []);
  const read = async (name: string) => {
    const [text, environment] = await Promise.all(
      ['stat', 'environ'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    // The program's name is in parentheses and may contain anything.
    const parent = text?.slice(text.lastIndexOf(')') + 2).split(' ')[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
    if (environment?.split('\0').includes(mark) === true) found.add(Number(name));
  };
  await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(read));
  for (let generation = 0; generation < GENERATIONS_MAX; generation += 1) {
    const size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
    if (found.size === size) break;
  }
  found.delete(root);
  return [...found];
}
