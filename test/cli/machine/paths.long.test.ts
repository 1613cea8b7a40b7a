import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../../support/built.ts';
import { cleanUp } from '../../support/real-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { firstLine, runCli } from '../run-cli.ts';

const { path: folder, remove } = tempDir();

beforeAll(async () => {
  await built();
}, 180_000);

afterAll(async () => {
  await cleanUp();
  remove();
});

// As a build gives them: the program runs where no compiler is.
const XSTATE = JSON.stringify(import.meta.resolve('xstate'));
const DOOR = `
import { createMachine } from ${XSTATE};
const config = { id: 'door', initial: 'shut', states: {
  shut: { on: { OPEN: 'open', KICK: 'bent' } },
  open: { after: { 1000: 'shut' } },
  bent: { type: 'final' },
} };
export const door = createMachine(config);
`;

test.each([
  ['debate', 28],
  ['payment', 29],
  ['job', 78],
  ['control', 9],
])('the first line is the answer for %s', async (kind, transitions) => {
  const { code, stdout, stderr } = await runCli(['paths', kind, '--count']);
  expect([code, stderr]).toEqual([0, '']);
  const words = new RegExp(
    `^${kind}: \\d+ paths cover ${transitions} of ${transitions} transitions\n$`,
  );
  expect(stdout).toMatch(words);
});

test('paths are lines that a person can read', async () => {
  const file = fileOf('door.mjs', DOOR);
  const { code, stdout } = await runCli(['paths', file]);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'door: 1 path covers 3 of 3 transitions',
    '',
    'transitions-1',
    '  0 start                 → shut',
    '  1 OPEN                  → open',
    '  2 after 1000 ms (1000)  → shut',
    '  3 KICK                  → bent (done)',
    '',
  ]);
});

test('a module may say what happens to its machine; what is out of reach is listed', async () => {
  const file = fileOf('plan.mjs', `${DOOR}export const plan = { events: { KICK: [] } };`);
  const { stdout } = await runCli(['paths', `${file}#door`, '--how', 'shortest', '--count']);
  expect(stdout.split('\n')).toEqual([
    'door: 1 path covers 1 of 3 transitions',
    'unreachable: shut|KICK|0',
    '',
  ]);
});

test('as JSON each step has its event, transitions and states', async () => {
  const { stdout } = await runCli(['paths', 'control', '--json', '--how', 'random', '--seed', '4']);
  const answer = JSON.parse(stdout) as { list: { id: string; steps: object[] }[] };
  expect(answer).toMatchObject({ machine: 'control', paths: 60, transitions: 9 });
  expect(answer.list[0]?.id).toBe('LIVE-random-4-1');
  expect(answer.list[0]?.steps[0]).toMatchObject({
    event: { type: 'CONTROL.CHANGED' },
    transitions: expect.any(Array) as unknown,
    states: [expect.stringMatching(/LIVE|SHADOW|OFF/)],
  });
  const again = await runCli(['paths', 'control', '--json', '--how', 'random'], {
    env: { STOA_PATHS_SEED: '4' },
  });
  expect(again.stdout).toBe(stdout);
});

test.each([
  [['paths'], "Missing required argument 'machine'"],
  [['paths', 'debat'], 'The machine is "debat"; it must be one of debate'],
  [['paths', 'job', 'control'], 'Unexpected argument "control"'],
  [['paths', 'job', '--how', 'all'], '--how is "all"; it must be one of transitions, shortest'],
  [['paths', 'job', '--seed', '-1'], 'The value of --seed is missing. For a dash, write --seed=-1'],
  [['paths', 'job', '--seed', '1e3'], '--seed is "1e3"; it must be a whole number from 0'],
  [['paths', 'missing.mjs'], 'The module missing.mjs cannot be loaded'],
])('%j is wrong usage and says why', async (args, why) => {
  const { code, stdout, stderr } = await runCli(args, { cwd: folder });
  expect([code, stdout]).toEqual([2, '']);
  expect(firstLine(stderr)).toContain(`stoa: CONFIG_INVALID: ${why}`);
});

test('a module with no machine, or with several, says what it has', async () => {
  fileOf('none.mjs', 'export const wall = 1;');
  fileOf('two.mjs', `${DOOR}export const other = createMachine(config);`);
  const said = async (name: string) => (await runCli(['paths', name], { cwd: folder })).stderr;
  expect(await said('none.mjs')).toContain('none.mjs exports no machine.');
  expect(await said('two.mjs')).toContain('exports door, other. Choose one, such as two.mjs#door');
  expect(await said('two.mjs#wall')).toContain('the machines door, other, and not "wall"');
});

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
