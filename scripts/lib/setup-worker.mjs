// The steps of a set-up, in a process group of their own. It ends with the process that waits for
// it: the channel between the two is closed by the system, whatever ended that process.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BUILD_MARKER, CHECKOUT, INSTALL_MARKER, installFault, isBuildDue } from './checkout.mjs';

/**
 * Not `npm ci`: it refuses lock files without the packages of other platforms, and registries that
 * lack those make such files. `--no-save` takes the locked versions and writes no lock file. The
 * rest overrides what a person's environment may set.
 */
const INSTALL = [
  ...['install', '--no-save', '--no-audit', '--no-fund', '--package-lock'],
  ...['--include=dev', '--include=optional', '--include=peer', '--no-ignore-scripts'],
  ...['--no-global', '--no-dry-run', '--no-package-lock-only', '--no-legacy-peer-deps'],
  ...['--no-force', '--install-strategy=hoisted', '--bin-links'],
];
const REMOVE_TRIES = 10;
/** Exit code of `bundle.mjs` where a package cannot be loaded. */
const INCOMPLETE_CODE = 3;
const INCOMPLETE = 'Packages in node_modules are incomplete.';
/** On Linux the kernel ends a step whose parent was killed alone, where this program asks it to. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

process.once('disconnect', endAll);
// Who reads the output may go away; the work goes on.
process.stderr.on('error', () => undefined);
const prefix = hasParentDeath() ? WITH_PARENT : [];
const lock = await lockCheckout();
let fault = (await install()) ?? (await build());
if (fault === INCOMPLETE) {
  rmSync(INSTALL_MARKER, { force: true });
  fault = (await install()) ?? (await build());
}
process.off('disconnect', endAll);
process.send({ fault }, () => {
  lock.close();
  process.disconnect();
});

async function install() {
  if (installFault() === undefined) return undefined;
  say('Installing the locked packages into node_modules (npm install) …');
  // What was joined from the packages of before does not fit those of now.
  rmSync(BUILD_MARKER, { force: true });
  // npm takes a half unpacked package for an installed one: nothing of before is kept. The marker
  // goes first, so that an end in the middle of it leaves no installation that seems finished.
  rmSync(INSTALL_MARKER, { force: true });
  const folder = dirname(INSTALL_MARKER);
  rmSync(folder, { recursive: true, force: true, maxRetries: REMOVE_TRIES });
  // A silent npm around us would silence this one too, and with it the reason of a failure.
  const env = { ...process.env, npm_config_loglevel: 'warn' };
  if ((await run(npmCommand(), env)) !== 0) return 'npm install failed; its reason stands above.';
  const missing = installFault();
  return missing === undefined ? undefined : `npm install has ended, but ${missing}.`;
}

async function build() {
  if (!isBuildDue()) return undefined;
  say('Building src into dist …');
  rmSync(BUILD_MARKER, { force: true });
  const startedAt = new Date();
  const compiler = join('node_modules', 'typescript-7', 'bin', 'tsc');
  if ((await runNode(compiler, '-p', 'tsconfig.build.json')) !== 0) {
    return 'The build failed; its reason stands above.';
  }
  const code = await runNode(join('scripts', 'bundle.mjs'));
  if (code === INCOMPLETE_CODE) return INCOMPLETE;
  if (code !== 0) return 'The modules could not be joined; the reason stands above.';
  if (existsSync(join(CHECKOUT, 'web'))) {
    say('Building web into dist/web …');
    if ((await runNode(join('scripts', 'web.mjs'))) !== 0) {
      return 'The build of the console failed; its reason stands above.';
    }
  }
  // The marker carries the time of the begin, so that a source changed meanwhile is built again.
  mkdirSync(dirname(BUILD_MARKER), { recursive: true });
  writeFileSync(BUILD_MARKER, '');
  utimesSync(BUILD_MARKER, startedAt, startedAt);
  return undefined;
}

/** npm, the way this process was started. */
function npmCommand() {
  const own = process.env.npm_execpath;
  return own?.endsWith('npm-cli.js') ? [process.execPath, own, ...INSTALL] : ['npm', ...INSTALL];
}

function runNode(...args) {
  return run([process.execPath, ...args], process.env);
}

/** Runs one program to its end. Returns its exit code; 1 where it was ended by a signal. */
function run(command, env) {
  const [program, ...args] = [...prefix, ...command];
  // A terminal gets colours and progress. Another reader may go away, and only we outlive that.
  const shown = process.stderr.isTTY === true ? 2 : 'pipe';
  const child = spawn(program, args, {
    cwd: CHECKOUT,
    env,
    stdio: ['ignore', shown, shown],
    shell: process.platform === 'win32' && program === 'npm',
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => process.stderr.write(chunk));
  }
  return new Promise((done) => {
    child.on('error', (cause) => {
      say(cause.message);
      done(1);
    });
    child.on('close', (code) => done(code ?? 1));
  });
}

function hasParentDeath() {
  if (process.platform !== 'linux') return false;
  const [program, ...args] = WITH_PARENT;
  return spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;
}

function endAll() {
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  else spawnSync('taskkill', ['/pid', String(process.pid), '/t', '/f'], { stdio: 'ignore' });
}

/**
 * Takes the checkout for this set-up alone. The name is free again when this process has ended,
 * which is when its whole group has got the signal to end.
 */
async function lockCheckout() {
  const name = createHash('sha256').update(realpathSync(CHECKOUT)).digest('hex').slice(0, 32);
  const address = {
    linux: `\0stoa-setup-${name}`,
    win32: `\\\\.\\pipe\\stoa-setup-${name}`,
  }[process.platform];
  const file = address === undefined ? join(tmpdir(), `stoa-setup-${name}.sock`) : undefined;
  for (let isTold = false; ; ) {
    const server = await listen(address ?? file);
    if (server !== undefined) return server;
    const hasOwner = await outlast(address ?? file, () => {
      if (!isTold) say('Another set-up of this checkout is under way; waiting for its end …');
      isTold = true;
    });
    if (!hasOwner && file !== undefined) rmSync(file, { force: true });
  }
}

function listen(address) {
  return new Promise((done, fail) => {
    // Who waits must not keep this process from its end.
    const server = createServer((socket) => socket.on('error', () => undefined).unref());
    server.once('error', (cause) => (cause.code === 'EADDRINUSE' ? done(undefined) : fail(cause)));
    server.listen(address, () => {
      server.unref();
      done(server);
    });
  });
}

/** Waits until the owner of the name has ended. Returns whether there was one. */
function outlast(address, onFound) {
  return new Promise((done) => {
    let wasFound = false;
    const socket = connect(address, () => {
      wasFound = true;
      onFound();
    });
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => done(wasFound));
  });
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
