import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { keepOwnersOut } from '../../../src/store/common/folder-lock.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { built } from '../../support/built.ts';
import { journalWrite } from '../../support/store-rows.ts';
import { type StoreStarter, startStarter } from '../../support/store-starter.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NAMESPACE = ['unshare', '--net', '--pid', '--fork', '--map-root-user'];
let dir: ReturnType<typeof tempDir>;
let path: string;
const started: StoreStarter[] = [];

// A build that is out of date takes minutes on a busy machine.
beforeAll(async () => {
  await built();
}, 600_000);
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
  }
  const store = openEngineStore({ path });
  await store.close();
});

test('a reader that looks for an owner does not stop a start', async () => {
  await openEngineStore({ path }).close();
  const reader = spawn('flock', ['-x', join(path, 'owner'), 'sleep', '0.02']);
  await new Promise((done) => reader.once('spawn', done));
  await openEngineStore({ path }).close();
  await new Promise((done) => reader.once('exit', done));
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

test('a copy of the folder of a living or killed owner opens', async () => {
  const owner = await start();
  await owner.ask('open 0');
  const copy = join(dir.path, 'copy');
  cpSync(path, copy, { recursive: true });
  await openEngineStore({ path: copy }).close();
  await owner.kill();
  cpSync(path, join(dir.path, 'second'), { recursive: true });
  await openEngineStore({ path: join(dir.path, 'second') }).close();
});

test('a check runs only without an owner, and changes nothing', async () => {
  await openEngineStore({ path }).close();
  const before = statSync(join(path, 'owner')).mtimeMs;
  const release = keepOwnersOut(path);
  expect(openCode()).toBe('STORE_BUSY');
  release();
  expect(statSync(join(path, 'owner')).mtimeMs).toBe(before);
  const store = openEngineStore({ path });
  expect(() => keepOwnersOut(path)).toThrow(
    expect.objectContaining({ code: 'STORE_BUSY', data: { path, pid: process.pid } }),
  );
  await store.close();
});

test('without flock(1), a socket name of the kernel is the lock, and a warning says so', async () => {
  const found = process.env['PATH'];
  const warnings: string[] = [];
  process.on('warning', (warning) => warnings.push(`${(warning as { code?: string }).code}`));
  process.env['PATH'] = dir.path;
  try {
    const store = openEngineStore({ path });
    expect(openCode()).toBe('STORE_BUSY');
    await store.close();
    await openEngineStore({ path }).close();
    expect(warnings).toEqual(['STOA_LOCK_LIMITED']);
  } finally {
    process.env['PATH'] = found;
  }
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
    expect(await inside.ask('open 0')).toMatch(/^STORE_BUSY /);
  },
);

async function start(wrap: readonly string[] = []): Promise<StoreStarter> {
  const starter = await startStarter(path, wrap);
  started.push(starter);
  return starter;
}

/** Returns how a start of this process fails. */
function openCode(): unknown {
  try {
    openEngineStore({ path });
    return undefined;
  } catch (thrown) {
    return (thrown as { readonly code: unknown }).code;
  }
}
