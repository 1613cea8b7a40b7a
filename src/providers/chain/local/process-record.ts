import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { execFileSync } from '../../../system/child.ts';
import { hashFolderIdentity } from '../../../system/folder-mark.ts';
import { readTextIfPresent } from '../../../system/read-text.ts';
import { readJsonFile } from './json-file.ts';

/** A record that identifies a process, since the system reuses process ids. */
export type ProcessRecord = z.infer<typeof ProcessRecord>;

/** Validates a stored process record. */
export const ProcessRecord = z.object({
  pid: z.number().int().positive(),
  /** Start time as reported by the system. It differs if the id was reused. */
  started: z.string(),
  port: z.number().int(),
  /** Whether the node was up to date, so that its state is worth saving. */
  isReady: z.boolean(),
  /**
   * The folder that it was started from. In a copied folder, the record names a foreign process.
   */
  home: z.string().optional(),
});

const PS_TIMEOUT_MS = 2_000;

/** Records a running child, so that a later process can stop it. */
export function writeProcessRecord(
  file: string,
  child: Omit<ProcessRecord, 'started' | 'home'>,
): void {
  const home = hashFolderIdentity(dirname(file));
  const record: ProcessRecord = { ...child, home, started: readStartTime(child.pid) ?? '' };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
}

/**
 * Finds the recorded process if it still runs. Folder, id and start time must match, and its
 * command line must contain every one of `requiredWords`. Returns `undefined` when in doubt.
 */
export function findRecordedProcess(
  file: string,
  requiredWords: readonly string[],
): ProcessRecord | undefined {
  if (!existsSync(file)) return undefined;
  const parsed = ProcessRecord.safeParse(readJsonFile(file));
  if (!parsed.success || parsed.data.started === '') return undefined;
  const { pid, started, port, home } = parsed.data;
  if (home !== hashFolderIdentity(dirname(file))) return undefined;
  const command = readCommandLine(pid);
  const isOurs =
    readStartTime(pid) === started && requiredWords.every((word) => command.includes(word));
  return isOurs && command.includes(String(port)) ? parsed.data : undefined;
}

/** Deletes the record of a process. */
export function deleteProcessRecord(file: string): void {
  rmSync(file, { force: true });
}

function readStartTime(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) {
    const stat = readTextIfPresent(`/proc/${pid}/stat`);
    // The command in parentheses may contain spaces. The start time is the 20th field after it.
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  }
  return queryPs(pid, 'lstart');
}

function readCommandLine(pid: number): string {
  const proc = readTextIfPresent(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ');
  return proc ?? queryPs(pid, 'command') ?? '';
}

function queryPs(pid: number, column: string): string | undefined {
  try {
    const options = { timeout: PS_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'] as const };
    const psArguments = ['-p', String(pid), '-o', `${column}=`];
    return execFileSync('ps', psArguments, { ...options, stdio: [...options.stdio] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}
