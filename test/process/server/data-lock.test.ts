import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { localAddress, lockDataDir } from '../../../src/process/server/data-lock.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-lock-'));
  dirs.push(dir);
  return dir;
}

test('a second owner of a data directory is refused by name', async () => {
  const dir = freshDir();
  const lock = await lockDataDir(dir);
  await expect(lockDataDir(dir)).rejects.toMatchObject({
    code: 'DATA_DIR_BUSY',
    data: { data_dir: dir },
  });
  await lock.release();
});

test('a released data directory can be taken again', async () => {
  const dir = freshDir();
  await (await lockDataDir(dir)).release();
  const again = await lockDataDir(dir);
  await again.release();
});

test('the lock of a process that was killed is free at once', async () => {
  const dir = freshDir();
  const address = localAddress(dir);
  const holder = spawn(process.execPath, [
    '-e',
    `require('node:net').createServer().listen(${JSON.stringify(address)}, () => console.log('held'))`,
  ]);
  await new Promise((held) => holder.stdout.once('data', held));
  await expect(lockDataDir(dir)).rejects.toMatchObject({ code: 'DATA_DIR_BUSY' });
  holder.kill('SIGKILL');
  await new Promise((gone) => holder.once('exit', gone));
  const lock = await lockDataDir(dir);
  await lock.release();
});

test('two directories are owned apart', async () => {
  const [one, two] = await Promise.all([lockDataDir(freshDir()), lockDataDir(freshDir())]);
  expect(one.address).not.toBe(two.address);
  await Promise.all([one.release(), two.release()]);
});

test('an owner that lets go does not wait for a client that stays', async () => {
  const lock = await lockDataDir(freshDir());
  const client = connect(lock.address);
  const gone = new Promise((done) => client.once('close', done));
  client.resume();
  await new Promise((done) => client.once('connect', done));
  await lock.release();
  await gone;
});
