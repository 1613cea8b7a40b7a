// Brings the checkout to a state in which it runs: packages and build, only when they are due.
import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, INSTALL_MARKER, isBuildDue, isInstallDue, nodeFault, npm } from './checkout.mjs';

/**
 * Installs and builds what is due, telling each step through `say`.
 *
 * @returns What is wrong, or nothing.
 */
export function setUp(say) {
  const fault = nodeFault();
  if (fault !== undefined) return fault;
  if (isInstallDue()) {
    say('Installing the locked packages into node_modules (npm install) …');
    const reason = install();
    if (reason !== undefined) return reason;
  }
  if (!isBuildDue()) return undefined;
  say('Building src into dist …');
  return build(say);
}

// Not `npm ci`: it refuses lock files without the packages of other platforms, and registries that
// lack those make such files. `--no-save` takes the locked versions and writes no lock file.
function install() {
  const code = npm('install', '--no-save', '--no-audit', '--no-fund');
  if (code !== 0) return 'npm install failed; its reason stands above.';
  const now = new Date();
  if (existsSync(INSTALL_MARKER)) utimesSync(INSTALL_MARKER, now, now);
  return undefined;
}

function build(say) {
  const compiler = join(CHECKOUT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  if (!existsSync(compiler)) return 'The compiler is missing: run npm install (not --omit=dev).';
  const startedAt = new Date();
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: CHECKOUT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return 'The build failed; its reason stands above.';
  if (!hasRun('bundle.mjs')) return 'The modules could not be joined; the reason stands above.';
  if (existsSync(join(CHECKOUT, 'web'))) {
    say('Building web into dist/web …');
    if (!hasRun('web.mjs')) return 'The build of the console failed; its reason stands above.';
  }
  // The marker carries the time of the start, so that a source changed meanwhile is built again.
  const marker = join(CHECKOUT, 'dist', '.built');
  writeFileSync(marker, '');
  utimesSync(marker, startedAt, startedAt);
  return undefined;
}

function hasRun(script) {
  const { status } = spawnSync(process.execPath, [join(CHECKOUT, 'scripts', script)], {
    cwd: CHECKOUT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
