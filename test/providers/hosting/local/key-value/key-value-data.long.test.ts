import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  MAXMEMORY_POLICIES,
  PERSISTENCE_MODES,
} from '../../../../../src/domain/hosting/value-sets.ts';
import type { HostedKeyValue } from '../../../../../src/providers/hosting/local/key-value/settings.ts';
import {
  type KeyValueRig,
  keyValueOf,
  keyValueRig,
  killServer,
  runOf,
  keyValueTest as test,
} from '../../../../support/hosting/key-value-rig.ts';
import { askOnce, respClient } from '../../../../support/resp-client.ts';

const never = new AbortController().signal;

let rig: KeyValueRig;
beforeEach(() => {
  rig = keyValueRig();
});
afterEach(async () => {
  await rig.close();
});

describe('policies', () => {
  test.each(MAXMEMORY_POLICIES)('%s is the policy of the server', async (maxmemoryPolicy) => {
    const database = keyValueOf({ options: { maxmemoryPolicy, persistenceMode: 'off' } });
    await rig.up(database);
    const answer = await rig.admin(database, 'CONFIG', 'GET', 'maxmemory-policy');
    expect(answer).toEqual(['maxmemory-policy', maxmemoryPolicy.replaceAll('_', '-')]);
  });

  test('without eviction a write beyond the plan is refused, and the rest stays', async () => {
    const { client, written } = await filled(rig, 'noeviction');
    expect(written.fault).toMatch(/^OOM command not allowed/);
    expect(await client.ask('GET', 'key-0')).toHaveLength(CHUNK.length);
    expect(await client.ask('DBSIZE')).toBe(written.count);
    client.close();
  });

  test('with eviction a write beyond the plan takes the place of others', async () => {
    const { client, written } = await filled(rig, 'allkeys_lru');
    expect(written).toEqual({ count: WRITES });
    expect(await client.ask('DBSIZE')).toBeLessThan(WRITES);
    client.close();
  });

  test('a policy of volatile keys leaves alone what does not expire', async () => {
    const { client, written } = await filled(rig, 'volatile_ttl');
    expect(written.fault).toMatch(/^OOM/);
    client.close();
  });
});

describe('persistence', () => {
  const KEEPS = {
    journal_snapshot: { stopped: true, killed: true },
    snapshot: { stopped: true, killed: false },
    off: { stopped: false, killed: false },
  } as const;
  const SETTINGS = {
    journal_snapshot: ['yes', '3600 1 300 100 60 10000'],
    snapshot: ['no', '3600 1 300 100 60 10000'],
    off: ['no', ''],
  } as const;

  test.each(PERSISTENCE_MODES)('%s keeps what it promises, and no more', async (mode) => {
    const database = inMode(mode);
    await rig.up(database);
    const { internal } = rig.host.connectionAddresses(database);
    const [, appendonly] = (await rig.admin(database, 'CONFIG', 'GET', 'appendonly')) as string[];
    const [, save] = (await rig.admin(database, 'CONFIG', 'GET', 'save')) as string[];
    expect([appendonly, save]).toEqual(SETTINGS[mode]);

    await askOnce(internal, 'SET', 'first', 'kept');
    await rig.host.stop(database);
    expect(await rig.host.start(database, never)).toEqual({ ok: true });
    expect(await askOnce(internal, 'GET', 'first')).toBe(KEEPS[mode].stopped ? 'kept' : null);

    await askOnce(internal, 'SET', 'second', 'kept');
    // The journal is brought to the disk once a second.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await killServer(rig, database);
    expect(await rig.host.watch(database, never)).toMatchObject({ ok: false });
    expect(await rig.host.start(database, never)).toEqual({ ok: true });
    expect(await askOnce(internal, 'GET', 'second')).toBe(KEEPS[mode].killed ? 'kept' : null);
  });

  test('a snapshot is written while the server runs', async () => {
    const database = inMode('snapshot');
    await rig.up(database);
    await askOnce(rig.host.connectionAddresses(database).internal, 'SET', 'first', 'kept');
    expect(await rig.admin(database, 'BGSAVE')).toBe('Background saving started');
    const dump = join(rig.layout.service(database.record.id), 'server', 'data', 'dump.rdb');
    await expect.poll(() => existsSync(dump)).toBe(true);
  });
});

test('one client that sends more than the plan has is dropped, and the server goes on', async () => {
  const database = keyValueOf();
  await rig.up(database);
  const { internal } = rig.host.connectionAddresses(database);
  const tooLong = askOnce(internal, 'SET', 'k', 'x'.repeat(40 * 1_048_576));
  await expect(tooLong).rejects.toThrow();
  const parts = Array.from({ length: 12 }, (_, at) => [`k${at}`, 'x'.repeat(12 * 1_048_576)]);
  await expect(askOnce(internal, 'MSET', ...parts.flat())).rejects.toThrow();
  expect(await askOnce(internal, 'PING')).toBe('PONG');
  expect(rig.runner.getState(runOf(rig)).state).toBe('running');
});

const CHUNK = 'x'.repeat(256 * 1_024);
/** One and a half times the free plan. */
const WRITES = 150;

/** An instance that was written to until it was full, or one and a half times over. */
async function filled(
  { up, host }: KeyValueRig,
  maxmemoryPolicy: HostedKeyValue['record']['options']['maxmemoryPolicy'],
) {
  const database = keyValueOf({ options: { maxmemoryPolicy, persistenceMode: 'off' } });
  await up(database);
  const client = await respClient(host.connectionAddresses(database).internal);
  const written: { count: number; fault?: string } = { count: 0 };
  for (let at = 0; at < WRITES && written.fault === undefined; at += 1) {
    await client.ask('SET', `key-${at}`, CHUNK).then(
      () => (written.count += 1),
      (fault: Error) => (written.fault = fault.message),
    );
  }
  return { client, written };
}

function inMode(persistenceMode: HostedKeyValue['record']['options']['persistenceMode']) {
  return keyValueOf({ options: { maxmemoryPolicy: 'noeviction', persistenceMode } });
}
