// The checkout: where it is, what it is made of, and how fresh that is. Node's own modules only.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of the checkout. */
export const CHECKOUT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** npm writes it as the last step of an installation: without it, packages may be half unpacked. */
export const INSTALL_MARKER = join(CHECKOUT, 'node_modules', '.package-lock.json');
/** Written as the last step of a build; its time is that of the begin. */
export const BUILD_MARKER = join(CHECKOUT, 'dist', '.built');

const LOCK_FILE = join(CHECKOUT, 'package-lock.json');
const NODE_WANTED = [20, 12];
/** Folders that a build is made of. */
const SOURCES = [join(CHECKOUT, 'src'), join(CHECKOUT, 'web')];

/** Returns why this Node cannot run the project, or nothing. */
export function nodeFault(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < NODE_WANTED[0] || (major === NODE_WANTED[0] && minor < NODE_WANTED[1]);
  if (!isOld) return undefined;
  return `Node ${NODE_WANTED.join('.')} or newer is needed; this is ${version}.`;
}

/** Returns why the locked versions cannot be known, or nothing. */
export function lockFault() {
  if (readPackages(LOCK_FILE) !== undefined) return undefined;
  return 'package-lock.json is missing or is not JSON. Restore it: git checkout package-lock.json';
}

/**
 * Compares node_modules with package-lock.json. Packages for other platforms are optional, and so
 * are those that npm could not build.
 *
 * @returns What is missing or has another version, or nothing.
 */
export function installFault() {
  const installed = readPackages(INSTALL_MARKER);
  if (installed === undefined) return 'no installation in node_modules was finished';
  for (const [path, { version, optional }] of Object.entries(readPackages(LOCK_FILE) ?? {})) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined && optional === true) continue;
    if (found?.version !== version) return `${path} is not installed in version ${version}`;
    if (!existsSync(join(CHECKOUT, path, 'package.json'))) return `${path} is incomplete`;
  }
  return undefined;
}

/** Says whether dist is missing, unfinished or older than a source file. */
export function isBuildDue() {
  if (!existsSync(BUILD_MARKER)) return true;
  const sources = [join(CHECKOUT, 'tsconfig.build.json'), ...SOURCES.flatMap(filesUnder)];
  return sources.some((file) => modified(file) > modified(BUILD_MARKER));
}

/** All files below a folder; none where there is no folder. */
export function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/** The packages of a lock file by their folder; nothing where the file is missing or cut short. */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
}

function modified(file) {
  return statSync(file).mtimeMs;
}
