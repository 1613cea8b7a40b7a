import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { writeFailingTest } from '../../src/testing/failing-test.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { catches } from '../../src/testing/mutants/try-mutants.ts';
import { PathFailure } from '../../src/testing/path-failure.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { doorMachine, doorPlan } from '../support/small-machines.ts';

const run = promisify(execFile);
const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
// Inside the checkout, where the test runner is found.
mkdirSync(join(CHECKOUT, '.cache'), { recursive: true });
const FOLDER = mkdtempSync(join(CHECKOUT, '.cache', 'failing-'));

afterAll(() => rmSync(FOLDER, { recursive: true }));

/** A driver over a broken door, and the same over the good one once it is mended. */
const driverText = (isMended: boolean) => `
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { doorMachine } from '../../test/support/small-machines.ts';
const broken = mutantsOf(doorMachine).find(({ id }) => id === 'delay-dropped-slam:open');
export const door = () => engineDriver({ machine: ${isMended ? 'doorMachine' : 'broken.machine'} });
`;

test('a failing path becomes a test that fails in the same way until it is mended', {
  timeout: 90_000,
}, async () => {
  const mutant = mutantsOf(doorMachine).find(({ id }) => id === 'delay-dropped-slam:open');
  if (mutant === undefined) throw new Error('there is such a mutant');
  const paths = pathsOf(doorMachine, { ...doorPlan, how: 'transitions', ignored: 'none' });
  const failure = await catches(mutant, paths);
  if (!(failure instanceof PathFailure)) throw new Error('it is caught');

  const text = writeFailingTest(failure, {
    file: join(FOLDER, 'test', 'door.test.ts'),
    machine: { name: 'doorMachine', from: '../../../test/support/small-machines.ts' },
    driver: { name: 'door', from: '../door.ts' },
    kit: '../../../src/testing/index.ts',
  });
  expect(text).toContain('// door, path transitions-1: after step 1 of 8');

  writeFileSync(join(FOLDER, 'door.ts'), driverText(false));
  const red = await vitest();
  expect(red.code).toBe(1);
  // The saved path ends where it failed; all but its length is the same.
  const [, ...lines] = failure.message.split('\n');
  for (const line of lines) expect(red.output).toContain(line.trim());
  expect(lines).toHaveLength(4);
  writeFileSync(join(FOLDER, 'door.ts'), driverText(true));
  const green = await vitest();
  expect(green.output).toMatch(/Tests +1 passed/);
  expect(green.code).toBe(0);
});

test('without a driver of its own the test plays on an engine, and keeps the faults', () => {
  const [path] = pathsOf(doorMachine, { ...doorPlan, how: 'shortest' });
  if (path === undefined) throw new Error('there is a path');
  const [step] = path.steps;
  const faulty = {
    ...path,
    begin: { ...path.begin, faults: ['kill_restart'] as const },
    steps: step === undefined ? [] : [{ ...step, faults: ['lost_reply'] as const }],
  };
  const differences = [{ what: 'state', expected: 'open', seen: 'closed' }];
  const failure = new PathFailure({ path: faulty, stepsDone: 1, differences });
  const text = writeFailingTest(failure, {
    file: join(FOLDER, 'engine.test.ts'),
    machine: { name: 'machine', from: './door.js' },
    faults: ['duplicate'],
  });
  expect(text.split('\n').filter((line) => !line.startsWith('//'))).toEqual([
    'import { engineDriver, pathFrom, runPath } from "@stoa/runtime/testing";',
    'import { test } from "vitest";',
    'import { machine } from "./door.js";',
    '',
    'test("door stays with its model on shortest-1", async () => {',
    '  const path = pathFrom(machine, {',
    '    "id": "shortest-1",',
    '    "beginFaults": [',
    '      "kill_restart"',
    '    ],',
    '    "steps": [',
    '      {',
    '        "event": {',
    '          "by": "ada",',
    '          "type": "OPEN"',
    '        },',
    '        "faults": [',
    '          "lost_reply"',
    '        ]',
    '      }',
    '    ]',
    '  });',
    '  await runPath(path, engineDriver({ machine: machine }), { faults: ["duplicate"] });',
    '});',
    '',
  ]);
});

async function vitest(): Promise<{ readonly code: number; readonly output: string }> {
  const program = join(CHECKOUT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [program, 'run', '--root', FOLDER];
  const env = { ...process.env, NO_COLOR: '1' };
  try {
    const { stdout } = await run(process.execPath, args, { cwd: FOLDER, env, timeout: 60_000 });
    return { code: 0, output: stdout };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as Record<'stdout' | 'stderr', string> & {
      code: number;
    };
    return { code, output: `${stdout}${stderr}` };
  }
}
