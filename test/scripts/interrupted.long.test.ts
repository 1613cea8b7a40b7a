import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { ended, sandbox, start } from './sandbox.ts';

const PACKAGES = ['node_modules/left', 'node_modules/right', 'node_modules/right/node_modules/low'];
const COMPILER_FOLDER = 'node_modules/typescript-7';
const FILES = 12;
/** Each ends two set-ups. */
const ROUNDS = process.env['STOA_LONG'] !== 'all' ? 10 : 100;
const PATIENCE_MS = ROUNDS * 60_000;
/** About what a whole set-up takes, in milliseconds; a kill comes somewhere before its end. */
const SETUP_MS = 500;
/** What is missing when a round begins; mostly everything. */
const UNFINISHED = [
  'node_modules',
  'node_modules',
  'node_modules/.package-lock.json',
  'dist/.built',
];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;

const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { name: 'sandbox' },
    ...Object.fromEntries([...PACKAGES, COMPILER_FOLDER].map((at) => [at, { version: '1.0.0' }])),
    'node_modules/of-another-system': { version: '1.0.0', optional: true, os: ['none'] },
  },
});

// Halts after some steps where the test says so, until it is killed.
const STEP = `
const fs = require('node:fs');
let steps = 0;
function step(name) {
  steps += 1;
  if (process.env.HALT !== name + steps) return;
  fs.writeFileSync('halted', '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
`;
// As npm does it: a folder with a package.json counts as installed, whatever else is in it; install
// scripts run in processes of their own; the lock file in node_modules is written last.
const NPM = `${STEP}
const script = require('node:child_process').spawn('sleep', ['30'], { stdio: 'ignore' });
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages[''];
delete packages['node_modules/of-another-system'];
for (const [path, { version }] of Object.entries(packages)) {
  if (fs.existsSync(path + '/package.json')) continue;
  fs.mkdirSync(path + '/bin', { recursive: true });
  fs.writeFileSync(path + '/package.json', JSON.stringify({ version }));
  fs.copyFileSync('compiler.js', path + '/bin/tsc');
  for (let file = 0; file < ${FILES}; file += 1) {
    step('npm');
    fs.writeFileSync(path + '/' + file + '.js', '');
  }
}
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
step('npm');
script.kill();
`;
// Writes in two steps, so that an end in the middle leaves half of it.
const COMPILER = `${STEP}
const text = fs.readFileSync('src/cli.js', 'utf8');
fs.mkdirSync('dist', { recursive: true });
step('tsc');
fs.writeFileSync('dist/cli.js', text.slice(0, 9));
step('tsc');
fs.writeFileSync('dist/cli.js', text);
step('tsc');
`;
/** Where the two programs can be made to halt. */
const HALTS = [
  ...Array.from({ length: (PACKAGES.length + 1) * FILES + 1 }, (_, at) => `npm${at + 1}`),
  ...['tsc1', 'tsc2', 'tsc3'],
];
const PROGRAM = `
const fs = require('node:fs');
const names = ${JSON.stringify(PACKAGES)}.flatMap((path) => fs.readdirSync(path));
process.stdout.write(names.filter((name) => name.endsWith('.js')).length + ' files\\n');
`;
const WHOLE = `${PACKAGES.length * FILES} files\n`;

interface Checkout {
  readonly folder: string;
  readonly begin: (halt?: string) => ChildProcess;
}

function checkout({ program = PROGRAM, npm = NPM } = {}): Checkout {
  const folder = realpathSync(
    sandbox({
      'package.json': '{"name":"sandbox"}',
      'package-lock.json': LOCK,
      'tsconfig.build.json': '{}',
      'scripts/bundle.mjs': '',
      'src/cli.js': program,
      'compiler.js': COMPILER,
      'npm-cli.js': npm,
    }),
  );
  const path = `npm_execpath=${join(folder, 'npm-cli.js')}`;
  const begin = (halt = '') =>
    start(folder, 'env', path, `HALT=${halt}`, 'node', 'scripts/start.mjs');
  return { folder, begin };
}

/** Processes that work in a folder. Linux alone tells. */
function workers(folder: string): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Ends them as the end of a container does: nobody can end another one in order. */
function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
}

/** Ends a set-up at a step of its work, or at a time: between two steps, say. */
async function interrupt({ folder, begin }: Checkout, halt: string, random: () => number) {
  const child = begin(halt);
  const gone = ended(child);
  const halted = join(folder, 'halted');
  const delayMs = Math.floor(random() * SETUP_MS);
  if (halt === '') await sleep(delayMs);
  else await expect.poll(() => existsSync(halted), { interval: 5 }).toBe(true);
  rmSync(halted, { force: true });
  const signal = pick(SIGNALS, random);
  const isContainer = random() < 0.5;
  if (isContainer) killAll(workers(folder));
  child.kill(signal);
  await gone;
  const what = `${isContainer ? 'all' : signal} ${halt === '' ? `after ${delayMs} ms` : halt}`;
  await expect.poll(() => workers(folder), { message: what, interval: 10 }).toEqual([]);
  return what;
}

test.runIf(process.platform === 'linux')(
  'a set-up that is ended at any moment leaves no process, and the next start completes it',
  async () => {
    const sandboxed = checkout();
    const { folder, begin } = sandboxed;
    const seed = Date.now();
    const random = seeded(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const without = pick(UNFINISHED, random);
      rmSync(join(folder, without), { recursive: true, force: true });
      const halt = without === 'node_modules' ? pick(HALTS, random) : '';
      const first = await interrupt(sandboxed, halt, random);
      // Again, from whatever the first one has left.
      const second = await interrupt(sandboxed, '', random);
      const story = `seed ${seed}, round ${round}: without ${without}, ${first}, ${second}`;
      const { code, output } = await ended(begin());
      expect({ story, code, output }).toMatchObject({ code: 0 });
      expect(output, story).toMatch(new RegExp(`(^|\n)${WHOLE}$`));
    }
  },
  PATIENCE_MS,
);

test.runIf(process.platform === 'linux').for(SIGNALS)(
  'an installation that would never end is ended with the start that %s ends',
  async (signal) => {
    const npm = "require('fs').writeFileSync('begun', ''); setInterval(() => {}, 1000);";
    const { folder, begin } = checkout({ npm });
    const child = begin();
    const gone = ended(child);
    await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
    child.kill(signal);
    await gone;
    await expect.poll(() => workers(folder)).toEqual([]);
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
  const { folder, begin } = checkout({
    program: "setTimeout(() => require('fs').writeFileSync('here', ''), 9);",
  });
  const child = begin();
  child.stdout?.destroy();
  child.stderr?.once('data', () => child.stderr?.destroy());
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(existsSync(join(folder, 'here'))).toBe(true);
});
