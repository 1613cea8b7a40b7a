import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { marketAnswer } from '../../support/reports/market-answer.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { refusalOf } from '../../support/tool-answers.ts';

const folder = tempDir();
const file = (name: string) => join(folder.path, name);
afterAll(() => folder.remove());
afterEach(() => vi.restoreAllMocks());

let bought: Promise<string> | undefined;

/** Saves an answer and a forged one, once. @returns Who has signed it. */
function savedOnce(): Promise<string> {
  bought ??= marketAnswer({ history_days: 30 }).then((answer) => {
    writeFileSync(file('answer.json'), JSON.stringify({ content: [], structuredContent: answer }));
    const forged = { ...answer, data: { ...answer.data, ticker: 'ETH' } };
    writeFileSync(file('forged.json'), JSON.stringify(forged));
    const statement = answer.statement as { signature: { signer: string } };
    return statement.signature.signer;
  });
  return bought;
}

/** Runs the command, and gives its exit code with what it has written. */
async function told(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  }
  const code = await runCommand(['report', ...args]);
  vi.restoreAllMocks();
  return { code, ...said };
}

test('a saved answer becomes one page that says who signed it', async () => {
  const signer = await savedOnce();
  const page = file('page.html');
  const { code, stdout, stderr } = await told(file('answer.json'), '--html', page);
  const text = readFileSync(page, 'utf8');
  expect([code, stdout]).toEqual([0, `${page}: ${Buffer.byteLength(text)} bytes\n`]);
  expect(stderr).toBe(
    `Checked when this page was created: signed by the signer that it names, ${signer}.\n`,
  );
  expect(text).toContain('<h1>Report on BTC/USD</h1>');
  expect(text).toContain(`signed by the signer that it names, ${signer}.`);
  expect(text.match(/(?:href|src)="(?!#)/g)).toBeNull();
});

test('without a file the page goes to standard output, checked against a signer that is given', async () => {
  const signer = await savedOnce();
  const { code, stdout, stderr } = await told(file('answer.json'), '--signer', signer);
  expect([code, stdout.startsWith('<!doctype html>')]).toEqual([0, true]);
  expect(stderr).toContain('the expected signer');
});

test('an answer that was changed is rendered, says so, and fails', async () => {
  await savedOnce();
  const page = file('forged.html');
  const { code, stderr } = await told(file('forged.json'), '--html', page);
  const reason = 'The signature does not match: the hash of the answer differs.\n';
  expect([code, stderr]).toEqual([1, reason]);
  expect(readFileSync(page, 'utf8')).toContain('The signature does not match');
  const other = await told(file('answer.json'), '--signer', `0x${'1'.repeat(40)}`);
  expect(other.code).toBe(1);
});

test('a file that is there stays, unless it is to be replaced', async () => {
  await savedOnce();
  writeFileSync(file('kept.html'), 'kept');
  const refused = await refusalOf(() =>
    runCommand(['report', file('answer.json'), '--html', file('kept.html')]),
  );
  expect([refused.code, readFileSync(file('kept.html'), 'utf8')]).toEqual([
    'CONFIG_INVALID',
    'kept',
  ]);
  await told(file('answer.json'), '--html', file('kept.html'), '--force');
  expect(readFileSync(file('kept.html'), 'utf8')).toContain('BTC/USD');
});

test('what is no report is refused with what is allowed, and nothing is written', async () => {
  writeFileSync(file('other.json'), '{"tool": "x"}');
  const refused = await refusalOf(() =>
    runCommand(['report', file('other.json'), '--html', file('no.html')]),
  );
  expect([refused.code, existsSync(file('no.html'))]).toEqual(['INPUT_INVALID', false]);
  expect(refused.data).toMatchObject({ path: 'request_id' });
});
