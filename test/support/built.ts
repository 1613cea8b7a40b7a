import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(CHECKOUT, 'dist');
const CACHE = join(CHECKOUT, '.cache');
/** Written by `scripts/` as well; its time is that of the build's begin. */
const STAMP = join(DIST, '.built');
const LOCK = join(CACHE, 'build.lock');
/** A lock that is older belongs to nobody any more. */
const LOCK_AGE_MAX_MS = 120_000;
const POLL_MS = 100;

/**
 * Builds the program where the sources are newer than the build, one process at a time.
 *
 * @returns The folder with the built modules.
 */
export async function built(): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  if (isFresh()) return DIST;
  const unlock = await lock();
  try {
    if (!isFresh()) build();
  } finally {
    unlock();
  }
  return DIST;
}

function build(): void {
  const begun = new Date();
  const compiler = join(CHECKOUT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  runStep(compiler, '-p', 'tsconfig.build.json');
  runStep(join(CHECKOUT, 'scripts', 'web.mjs'));
  // What is saved while the compiler reads must count as newer.
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begun, begun);
}

function runStep(...args: readonly string[]): void {
  try {
    execFileSync(process.execPath, args, {
      cwd: CHECKOUT,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LOCK_AGE_MAX_MS,
    });
  } catch (thrown) {
    // The compiler writes what it can also where a type does not fit; that is a check of its own.
    // While somebody works on one folder, the programs of the others can be run all the same.
    if (process.env['CI'] === 'true') throw thrown;
  }
}

function isFresh(): boolean {
  if (!existsSync(STAMP) || !existsSync(join(DIST, 'runtime/engine/engine.js'))) return false;
  const sources = [join(CHECKOUT, 'src'), join(CHECKOUT, 'web')];
  return sources.every((folder) => newest(folder) < changedAt(STAMP));
}

function newest(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, changedAt(join(entry.parentPath, entry.name))), 0);
}

function changedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    // It went away while it was looked at.
    return Date.now();
  }
}

async function lock(): Promise<() => void> {
  for (;;) {
    try {
      closeSync(openSync(LOCK, 'wx'));
      return () => rmSync(LOCK, { force: true });
    } catch {
      if (changedAt(LOCK) < Date.now() - LOCK_AGE_MAX_MS) rmSync(LOCK, { force: true });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
