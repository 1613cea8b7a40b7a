import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';

const PROGRAM = fileURLToPath(new URL('./programs/take-over.mjs', import.meta.url));

/** Lets another process become the owner of an engine's store, and end. */
export async function takenOver(path: string): Promise<void> {
  execFileSync(process.execPath, [PROGRAM, await built(), path], { timeout: 30_000 });
}
