import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { ended, sandbox, start } from './sandbox.ts';

const PACKAGES = ['node_modules/left', 'node_modules/right', 'node_modules/right/node_modules/low'];
const COMPILER_FOLDER = 'node_modules/typescript-7';
const FILES = 12;
const ROUNDS = process.env['STOA_LONG'] === undefined ? 20 : 200;
/** About what a whole set-up takes, in milliseconds; a kill comes somewhere before its end. */
const SETUP_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;

const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { name: 'sandbox' },
    ...Object.fromEntries([...PACKAGES, COMPILER_FOLDER].map((at) => [at, { version: '1.0.0' }])),
    'node_modules/of-another-system': { version: '1.0.0', optional: true, os: ['none'] },
  },
});

// As npm does it: a folder with a package.json counts as installed, whatever else is in it; install
// scripts run in processes of their own; the lock file in node_modules is written last.
const NPM = `
const fs = require('node:fs');
const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const script = require('node:child_process').spawn('sleep', ['30'], { stdio: 'ignore' });
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages[''];
delete packages['node_modules/of-another-system'];
for (const [path, { version }] of Object.entries(packages)) {
  if (fs.existsSync(path + '/package.json')) continue;
  fs.mkdirSync(path + '/bin', { recursive: true });
  fs.writeFileSync(path + '/package.json', JSON.stringify({ version }));
  for (let file = 0; file < ${FILES}; file += 1) {
    fs.writeFileSync(path + '/' + file + '.js', '');
    wait(2);
  }
  fs.copyFileSync('compiler.js', path + '/bin/tsc');
}
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
script.kill();
`;
// Writes in two steps, so that an end in the middle leaves half of it.
const COMPILER = `
const fs = require('node:fs');
const text = fs.readFileSync('src/cli.js', 'utf8');
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/cli.js', text.slice(0, 9));
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
fs.writeFileSync('dist/cli.js', text);
`;
const PROGRAM = `
const fs = require('node:fs');
const names = ${JSON.stringify(PACKAGES)}.flatMap((path) => fs.readdirSync(path));
process.stdout.write(names.filter((name) => name.endsWith('.js')).length + ' files\\n');
`;
const WHOLE = `${PACKAGES.length * FILES} files\n`;

interface Checkout {
  readonly folder: string;
  readonly begin: () => ChildProcess;
}

function checkout(program = PROGRAM): Checkout {
  const folder = realpathSync(
    sandbox({
      'package.json': '{"name":"sandbox"}',
      'package-lock.json': LOCK,
      'tsconfig.build.json': '{}',
      'scripts/bundle.mjs': '',
      'src/cli.js': program,
      'compiler.js': COMPILER,
      'npm-cli.js': NPM,
    }),
  );
  const npm = `npm_execpath=${join(folder, 'npm-cli.js')}`;
  return { folder, begin: () => start(folder, 'env', npm, 'node', 'scripts/start.mjs') };
}

/** Processes that work in a folder, and their arguments. Linux alone tells. */
function workers(folder: string): readonly { pid: number; words: string }[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.flatMap((pid) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return [];
      return [{ pid, words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
}

function killWorker(folder: string): void {
  for (const { pid, words } of workers(folder)) {
    if (words.includes('setup-worker')) process.kill(pid, 'SIGKILL');
  }
}

test.runIf(process.platform === 'linux')(
  'a set-up that is ended at any moment leaves no process, and the next start completes it',
  async () => {
    const { folder, begin } = checkout();
    const random = seeded(Date.now());
    const unfinished = ['node_modules', 'node_modules/.package-lock.json', 'dist', 'dist/.built'];
    for (let round = 0; round < ROUNDS; round += 1) {
      const what = unfinished[Math.floor(random() * unfinished.length)] ?? 'dist';
      rmSync(join(folder, what), { recursive: true, force: true });
      const child = begin();
      const gone = ended(child);
      const delayMs = Math.floor(random() * SETUP_MS);
      await sleep(delayMs);
      const signal = SIGNALS[round % SIGNALS.length] ?? 'SIGKILL';
      // Each fifth time the worker is killed as well, which can end nobody else.
      if (round % 5 === 4) killWorker(folder);
      child.kill(signal);
      await gone;
      const story = `round ${round}: without ${what}, ${signal} after ${delayMs} ms`;
      await expect.poll(() => workers(folder), { message: story }).toEqual([]);
      const { code, output } = await ended(begin());
      expect({ story, code, output }).toMatchObject({ code: 0 });
      expect(output, story).toMatch(new RegExp(`(^|\n)${WHOLE}$`));
    }
  },
);

test('two that start at once set up once, one after the other', async () => {
  const { begin } = checkout();
  const both = await Promise.all([ended(begin()), ended(begin())]);
  for (const { code, output } of both) expect({ code, output }).toMatchObject({ code: 0 });
  const outputs = both.map(({ output }) => output).join('');
  expect(outputs.match(/Installing/g)).toHaveLength(1);
  expect(outputs.match(/Building/g)).toHaveLength(1);
});

test('a package that was deleted by hand is installed again', async () => {
  const { folder, begin } = checkout();
  await ended(begin());
  rmSync(join(folder, 'node_modules/right/node_modules'), { recursive: true });
  expect((await ended(begin())).output).toMatch(new RegExp(`Installing[^]*\n${WHOLE}$`));
});

test('a reader that goes away ends neither the set-up nor the program', async () => {
  const { folder, begin } = checkout(
    "setTimeout(() => require('fs').writeFileSync('here', ''), 9);",
  );
  const child = begin();
  child.stdout?.destroy();
  child.stderr?.once('data', () => child.stderr?.destroy());
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(existsSync(join(folder, 'here'))).toBe(true);
});
