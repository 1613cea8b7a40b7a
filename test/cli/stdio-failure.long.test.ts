import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cliPath, freshDataDir } from '../support/real-server.ts';
import { bareEnvironment } from './run-cli.ts';

const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n';
/** How long an answer may take on a machine that does much else, in milliseconds. */
const ANSWER_MS = 100_000;

/** What `stoa stdio` answers to the first request while the client holds its pipe open. */
async function firstAnswer(dataDir: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [await cliPath(), 'stdio', '--data', dataDir], {
    env: { ...bareEnvironment(), ...env },
    timeout: ANSWER_MS,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.write(INITIALIZE);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((done) => child.once('close', done));
  const [answer = ''] = said.stdout.split('\n');
  return { code, stderr: said.stderr, answer: JSON.parse(answer === '' ? '{}' : answer) };
}

const refused = (text: RegExp) => ({ id: 1, error: { message: expect.stringMatching(text) } });

test('a setting that the daemon refuses is the answer to the first request', async () => {
  const told = await firstAnswer(freshDataDir(), { STOA_LLM_MODELS: 'no json' });
  expect(told.answer).toMatchObject(refused(/^CONFIG_INVALID: /));
  expect(told.stderr).toMatch(/^stoa: CONFIG_INVALID: /);
  expect(told.code).toBe(2);
});

test('a data directory that is damaged is the answer to the first request', async () => {
  const dataDir = freshDataDir();
  mkdirSync(join(dataDir, 'store'));
  writeFileSync(join(dataDir, 'directory.json'), 'not what a server wrote');
  mkdirSync(join(dataDir, 'store', 'actors'));
  writeFileSync(join(dataDir, 'store', 'actors', 'data.mdb'), 'no store');
  const told = await firstAnswer(dataDir);
  expect(told.answer).toMatchObject(refused(/^DATA_(DAMAGED|DIR_UNUSABLE): /));
  expect(told.code).toBe(2);
});

test('a file in place of the data directory is the answer to the first request', async () => {
  const file = join(freshDataDir(), 'file');
  writeFileSync(file, '');
  const told = await firstAnswer(file);
  expect(told.answer).toMatchObject(refused(/^DATA_DIR_UNUSABLE: /));
  expect(told.code).toBe(2);
});
