import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '../../scripts/lib/checkout.mjs';
import { setUp } from '../../scripts/lib/setup.mjs';

/** A lock older than this belongs to a build that died, in milliseconds. */
const BUILD_MS = 60_000;
const lock = join(tmpdir(), `stoa-build-${Buffer.from(CHECKOUT).toString('hex').slice(-48)}`);

/**
 * Gives the folder of the built program, built anew when a source is newer. Several test files may
 * ask at once; one of them builds.
 */
export async function builtDir(): Promise<string> {
  while (!take()) await new Promise((done) => setTimeout(done, 100));
  try {
    const fault = setUp(() => undefined);
    if (fault !== undefined) throw new Error(fault);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return join(CHECKOUT, 'dist');
}

function take(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    try {
      if (Date.now() - statSync(lock).mtimeMs > BUILD_MS) rmSync(lock, { recursive: true });
    } catch {
      return false;
    }
    return false;
  }
}
