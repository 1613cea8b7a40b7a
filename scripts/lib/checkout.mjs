// The checkout: where it is, what it is made of, and how fresh that is. Node's own modules only.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of the checkout. */
export const CHECKOUT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** npm writes it with every installation. */
export const INSTALL_MARKER = join(CHECKOUT, 'node_modules', '.package-lock.json');

const NODE_WANTED = [20, 12];
/** Folders that a build is made of. */
const SOURCES = [join(CHECKOUT, 'src'), join(CHECKOUT, 'web')];

/** Answers why this Node cannot run the project, or nothing. */
export function nodeFault(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < NODE_WANTED[0] || (major === NODE_WANTED[0] && minor < NODE_WANTED[1]);
  if (!isOld) return undefined;
  return `Node ${NODE_WANTED.join('.')} or newer is needed; this is ${version}.`;
}

/** Tells whether node_modules is missing or older than package-lock.json. */
export function isInstallDue() {
  if (!existsSync(INSTALL_MARKER)) return true;
  return modified(INSTALL_MARKER) < modified(join(CHECKOUT, 'package-lock.json'));
}

/** Tells whether dist is missing or older than a source file. */
export function isBuildDue() {
  const built = join(CHECKOUT, 'dist', '.built');
  if (!existsSync(built)) return true;
  const sources = [join(CHECKOUT, 'tsconfig.build.json'), ...SOURCES.flatMap(filesUnder)];
  return sources.some((file) => modified(file) > modified(built));
}

/** Runs npm the way this process was started, with its output shown. Returns the exit code. */
export function npm(...args) {
  const own = process.env.npm_execpath;
  const [command, first] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []];
  const { status } = spawnSync(command, [...first, ...args], {
    cwd: CHECKOUT,
    // A silent npm around us would silence this one too, and with it the reason of a failure.
    env: { ...process.env, npm_config_loglevel: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  return status ?? 1;
}

/** All files below a folder; none where there is no folder. */
export function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

function modified(file) {
  return statSync(file).mtimeMs;
}
