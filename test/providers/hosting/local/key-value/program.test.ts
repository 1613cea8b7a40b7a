import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  findServer,
  serverCommand,
} from '../../../../../src/providers/hosting/local/key-value/program.ts';
import { keyValueOf, keyValueRig } from '../../../../support/hosting/key-value-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const level = 'process';
const OLD = 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64';
const REDIS = 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64';
const VALKEY = 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64';

let dir: ReturnType<typeof tempDir>;
let fetched: string;
beforeEach(() => {
  dir = tempDir();
  fetched = join(dir.path, 'fetched');
});
afterEach(() => {
  dir.remove();
});

const find = (path: string) => findServer({ level, path }, fetched, []);

test('Valkey is taken before Redis, and an installed one before a fetched one', async () => {
  const bin = join(dir.path, 'bin');
  program(join(bin, 'redis-server'), REDIS);
  program(join(fetched, 'usr/bin/valkey-server'), VALKEY);
  expect(await find(bin)).toEqual({
    server: { file: join(bin, 'redis-server'), version: 'Redis 7.0.15' },
  });
  program(join(bin, 'valkey-server'), VALKEY);
  expect(await find(bin)).toMatchObject({ server: { version: 'Valkey 8.1.1' } });
});

test('one that is too old, silent or something else is passed over and named', async () => {
  const bin = join(dir.path, 'bin');
  for (const [said, why] of [
    [OLD, 'has version 6.2.14; it must be 7 or newer'],
    ['hello', 'is neither Valkey nor Redis'],
  ] as const) {
    program(join(bin, 'redis-server'), said);
    expect(await find(bin)).toEqual({
      why: expect.stringContaining(`${join(bin, 'redis-server')} ${why}`),
    });
  }
  writeFileSync(join(bin, 'redis-server'), '#!/bin/sh\nexit 1\n');
  expect(await find(bin)).toEqual({ why: expect.stringContaining('--version failed') });
  program(join(fetched, 'usr/bin/redis-server'), REDIS);
  expect(await find(bin)).toMatchObject({ server: { home: fetched, version: 'Redis 7.0.15' } });
});

test('a fetched one is started with its own libraries, where its process sees them', () => {
  for (const folder of ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu', 'usr/lib/systemd']) {
    mkdirSync(join(fetched, folder), { recursive: true });
  }
  const file = join(fetched, 'usr/bin/redis-server');
  expect(serverCommand({ file, home: fetched }, '/mnt/cache')).toBe(
    "LD_LIBRARY_PATH='/mnt/cache/usr/lib/x86_64-linux-gnu:/mnt/cache/lib/x86_64-linux-gnu' " +
      "'/mnt/cache/usr/bin/redis-server'",
  );
  expect(serverCommand({ file: "/it's/redis-server" }, '/mnt')).toBe("'/it'\\''s/redis-server'");
});

test('without a server program nothing is admitted or started, and the cure is named', async () => {
  const rig = keyValueRig({ find: () => find('/nowhere') });
  const database = keyValueOf();
  const cure = expect.stringContaining('stoa doctor --fix');
  try {
    expect(await rig.host.listFeatures()).toEqual({ '': { able: false, why: cure } });
    await expect(rig.host.admit(database.record)).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: cure,
    });
    const never = new AbortController().signal;
    await rig.host.make(database, never);
    expect(await rig.host.start(database, never)).toEqual({
      ok: false,
      reason: cure,
      isFinal: true,
    });
  } finally {
    await rig.close();
  }
});

test('a plan that is larger than what is free is refused with the plans that fit', async () => {
  program(join(fetched, 'usr/bin/redis-server'), REDIS);
  // Of 8,192 MiB the machine keeps a tenth for itself.
  const taken = [{ cpu: 1, memoryMib: 7_000 }];
  const rig = keyValueRig({ find: () => find('/nowhere'), taken });
  try {
    await rig.host.admit(keyValueOf({ plan: 'free' }).record);
    await expect(rig.host.admit(keyValueOf({ plan: 'standard' }).record)).rejects.toMatchObject({
      code: 'HOST_CAPACITY',
      data: { received: 'standard', allowed: ['free'], freeMib: 372 },
    });
  } finally {
    await rig.close();
  }
});

function program(file: string, said: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${said}'\n`);
  chmodSync(file, 0o755);
}
