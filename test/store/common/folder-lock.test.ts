import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withShortName } from '../../../src/store/common/folder-lock.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { journalWrite } from '../../support/store-rows.ts';
import { type StoreStarter, startStarter } from '../../support/store-starter.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NAMESPACE = ['unshare', '--net', '--pid', '--fork', '--map-root-user'];
let dir: ReturnType<typeof tempDir>;
let path: string;
const started: StoreStarter[] = [];

beforeEach(() => {
  dir = tempDir();
  path = join(dir.path, 'store');
});
afterEach(async () => {
  for (const each of started.splice(0)) await each.kill();
  dir.remove();
});

test('a second process is refused at once, by path and process, until the first closes', async () => {
  const [first, second] = [await start(), await start()];
  expect(await first.ask('open 0')).toBe('owner');
  expect(await second.ask('open 0')).toBe(`STORE_BUSY ${first.pid}`);
  expect(() => openEngineStore({ path })).toThrow(
    expect.objectContaining({
      code: 'STORE_BUSY',
      message: expect.stringContaining(path),
      data: { path, pid: first.pid },
    }),
  );
  expect(await first.ask('close')).toBe('closed');
  expect(ownerFiles()).toEqual([]);
  expect(await second.ask('open 0')).toBe('owner');
});

test('a refusal changes nothing for the owner, not even its compaction', async () => {
  const store = openEngineStore({ path });
  mkdirSync(join(path, 'compacting'));
  const other = await start();
  expect(await other.ask('open 0')).toBe(`STORE_BUSY ${process.pid}`);
  expect(readdirSync(path)).toContain('compacting');
  await store.commit([journalWrite('a', 1)]);
  const reader = openEngineStore({ path, readOnly: true });
  expect(reader.readJournal('a', 1, 10)).toHaveLength(1);
  await reader.close();
  await store.close();
});

test('after kill -9 of the owner, the next start works at once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const owner = await start();
    expect(await owner.ask('open 0')).toBe('owner');
    await owner.kill();
    expect(ownerFiles()).toHaveLength(2);
  }
  const store = openEngineStore({ path });
  expect(ownerFiles()).toHaveLength(2);
  await store.close();
  expect(ownerFiles()).toEqual([]);
});

test('a stopped owner is still the owner', async () => {
  const owner = await start();
  await owner.ask('open 0');
  process.kill(owner.pid, 'SIGSTOP');
  expect(() => openEngineStore({ path })).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }));
  process.kill(owner.pid, 'SIGCONT');
});

test('a worker thread of the owner is refused', async () => {
  const owner = await start();
  await owner.ask('open 0');
  expect(await owner.ask('thread')).toBe(`STORE_BUSY ${owner.pid}`);
});

test('a path longer than the name of a socket works', async () => {
  path = join(dir.path, ...Array.from({ length: 4 }, () => 'x'.repeat(60)));
  const [first, second] = [await start(), await start()];
  expect(await first.ask('open 0')).toBe('owner');
  expect(await second.ask('open 0')).toBe(`STORE_BUSY ${first.pid}`);
  await first.kill();
  expect(await second.ask('open 0')).toBe('owner');
});

test('without /proc, a long path gets a short link', async () => {
  const long = join(dir.path, 'y'.repeat(90));
  mkdirSync(long);
  const server = createServer();
  withShortName(long, (short) => server.listen(join(short, 'a.sock')), false);
  expect(server.listening).toBe(true);
  expect(readdirSync(long)).toEqual(['a.sock']);
  await new Promise((done) => server.close(done));
});

test('a file or a dead link in place of the lock does not keep a start out', async () => {
  await openEngineStore({ path }).close();
  writeFileSync(join(path, 'owner'), 'a copy of a link');
  await openEngineStore({ path }).close();
  symlinkSync('owner-1-abcdef.sock', join(path, 'owner'));
  await openEngineStore({ path }).close();
  expect(ownerFiles()).toEqual([]);
});

test.skipIf(spawnSync('unshare', [...NAMESPACE.slice(1), 'true']).status !== 0)(
  'containers with other networks and process ids are refused as well',
  async () => {
    const inside = await start(NAMESPACE);
    expect(await inside.ask('open 0')).toBe('owner');
    const outside = await start();
    expect(await outside.ask('open 0')).toMatch(/^STORE_BUSY /);
    expect(await inside.ask('close')).toBe('closed');
    expect(await outside.ask('open 0')).toBe('owner');
    expect(await inside.ask('open 0')).toBe(`STORE_BUSY ${outside.pid}`);
  },
);

async function start(wrap: readonly string[] = []): Promise<StoreStarter> {
  const starter = await startStarter(path, wrap);
  started.push(starter);
  return starter;
}

function ownerFiles(): readonly string[] {
  return readdirSync(path).filter((name) => name.startsWith('owner'));
}
