import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { cliPath, freshDataDir } from '../support/real-server.ts';

/** How long a start may take on a machine that does much else, in milliseconds. */
const START_MS = 90_000;

interface Streams {
  readonly stdout: 'pipe' | number;
  readonly stderr: 'pipe' | number;
}

/** Runs a command whose reader is gone before it writes. */
async function withoutReader(args: readonly string[], streams: Streams): Promise<number | null> {
  const child = spawn(process.execPath, [await cliPath(), ...args], {
    stdio: ['ignore', streams.stdout, streams.stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout?.destroy();
  child.stderr?.destroy();
  return new Promise((done) => child.once('exit', done));
}

test('a short command whose reader has gone ends with its own exit code', async () => {
  const pipes = { stdout: 'pipe', stderr: 'pipe' } as const;
  expect(await withoutReader(['help'], pipes)).toBe(0);
  expect(await withoutReader(['machine', 'list'], pipes)).toBe(0);
  expect(await withoutReader(['no-such-command'], pipes)).toBe(2);
});

test.runIf(existsSync('/dev/full'))(
  'a result that a full disk cuts short is a failure',
  async () => {
    const full = openSync('/dev/full', 'w');
    expect(await withoutReader(['help'], { stdout: full, stderr: 'pipe' })).toBe(1);
    expect(await withoutReader(['help'], { stdout: 'pipe', stderr: full })).toBe(0);
  },
);

test('a server outlives the readers of its output and errors, and ends with its starter', async () => {
  const dataDir = freshDataDir();
  const args = [await cliPath(), 'serve', '--port', '0', '--data', dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout?.destroy();
  child.stderr?.destroy();
  const isReady = () => existsSync(join(dataDir, 'ready.json'));
  await expect.poll(isReady, { timeout: START_MS }).toBe(true);
  const { stdout } = await runCli(['console', '--data', dataDir]);
  expect(firstLine(stdout)).toContain('http://');
  const gone = new Promise((done) => child.once('exit', (code) => done(code)));
  child.disconnect();
  expect(await gone).toBe(0);
  expect(isReady()).toBe(false);
});
