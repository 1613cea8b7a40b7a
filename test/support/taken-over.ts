import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./programs/take-over.mjs', import.meta.url));

/** Lets a process that the lock of the folder does not stop become the owner of a store, and end. */
export function takenOver(path: string): void {
  execFileSync(process.execPath, [PROGRAM, path], { timeout: 30_000 });
}
