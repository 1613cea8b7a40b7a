import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { MACHINES } from '../../../src/machines/common/registry.ts';
import { cleanUp, freshDataDir } from '../../support/real-server.ts';
import { runCli } from '../run-cli.ts';

// Each command is a process, and the first one may have to be built.
vi.setConfig({ testTimeout: 120_000 });
afterAll(cleanUp);

const XSTATE = pathToFileURL(join(process.cwd(), 'node_modules/xstate/dist/xstate.esm.js')).href;
const ORDER = `
import { setup } from '${XSTATE}';
export const orderMachine = setup({ delays: { patience: 1000 } }).createMachine({
  id: 'order',
  initial: 'placed',
  states: {
    placed: { on: { PAY: 'paid' }, after: { patience: 'dropped' } },
    paid: { type: 'parallel', states: { packing: {}, billing: {} } },
    dropped: { type: 'final' },
  },
});
`;

test('list names every kind with its version and size', async () => {
  const { code, stdout } = await runCli(['machine', 'list']);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(MACHINES.map(({ kind }) => kind));
  expect(stdout).toMatch(/^control +version 1 {2}4 states, 9 transitions {2}Control$/m);
});

test.each([
  [['--format', 'svg'], '<svg xmlns='],
  [['--format', 'svg', '--width', 'narrow'], 'width="360"'],
  [['--format', 'mermaid'], 'stateDiagram-v2\n'],
  [['--format', 'json'], '"kind": "control"'],
])('a registered kind is exported with %j', async (flags, found) => {
  const { code, stdout, stderr } = await runCli(['machine', 'export', 'control', ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(found);
});

test('a machine of the caller is drawn from its own file, into a file', async () => {
  const folder = freshDataDir();
  const [module, out] = [join(folder, 'order.mjs'), join(folder, 'order.svg')];
  writeFileSync(module, ORDER);
  const named = `${module}#orderMachine`;
  const drawn = await runCli(['machine', 'export', named, '--out', out]);
  expect(drawn).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(out, 'utf8')).toContain('data-state="paid.packing"');
  const alone = await runCli(['machine', 'export', module, '--format', 'mermaid']);
  expect(alone.stdout).toContain('s_placed --> s_dropped: After patience');
  const other = await runCli(['machine', 'export', `${module}#other`]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('orderMachine, and not')]);
});

test.each([
  [
    ['export', 'jobs'],
    'must be one of debate, council, arbitration, payment, job, request, control, passport',
  ],
  [['export', 'job', '--format', 'png'], '"png"; it must be one of svg, mermaid, json'],
  [['export', 'job', '--width', '12'], '"12"; it must be one of wide, narrow'],
  [['export'], "Missing required argument 'machine'"],
  [['export', 'nothere.mjs'], 'nothere.mjs cannot be loaded'],
  [['draw'], "Unknown command 'draw'. It must be one of list, export"],
  [['list', 'job'], 'Unexpected argument "job"'],
  [['export', 'job', '--size', '1'], '--size'],
])('%j is wrong usage, and says what is allowed', async (args, why) => {
  const { code, stdout, stderr } = await runCli(['machine', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('stoa: CONFIG_INVALID: ');
  expect(stderr).toContain(why);
});
