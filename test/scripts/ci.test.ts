import { expect, test } from 'vitest';
import { ended, sandbox, start } from './sandbox.ts';

function ci(short: string, long: string) {
  const scripts = { test: short, 'test:long': long };
  const folder = sandbox({ 'package.json': JSON.stringify({ name: 'sample', scripts }) });
  return ended(start(folder, 'bash', '.ci/run'));
}

function says(line: string, code: number): string {
  return `node -e "console.log('${line}');process.exitCode=${code}"`;
}

function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1);
}

test('the sums of both runs are the last line', async () => {
  const { code, output } = await ci(says('30 passed, 0 failed', 0), says('12 passed, 0 failed', 0));
  expect(lastLine(output)).toBe('42 passed, 0 failed');
  expect(code).toBe(0);
});

test('a failure of either run fails the whole', async () => {
  const { code, output } = await ci(says('30 passed, 2 failed', 1), says('12 passed, 0 failed', 0));
  expect(lastLine(output)).toBe('42 passed, 2 failed');
  expect(code).toBe(1);
});

test('a run that breaks or says nothing is a failure', async () => {
  const { code, output } = await ci(says('30 passed, 0 failed', 1), says('boom', 0));
  expect(lastLine(output)).toBe('30 passed, 2 failed');
  expect(code).toBe(1);
});
