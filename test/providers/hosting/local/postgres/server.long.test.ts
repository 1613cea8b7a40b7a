import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MetricType } from '../../../../../src/domain/hosting/value-sets.ts';
import { detectCgroups } from '../../../../../src/providers/sandbox/cgroups.ts';
import type { View } from '../../../../../src/runtime/engine/types.ts';
import { hashFolderIdentity } from '../../../../../src/system/folder-mark.ts';
import { availablePostgres } from '../../../../conformance/hosting/databases.ts';
import { postgresOrder, refused } from '../../../../conformance/hosting/world.ts';
import { type LocalWorld, localWorld } from '../../../../support/hosting/local-world.ts';
import { asOwner, logOf, pidOf, runsOf } from '../../../../support/hosting/owner.ts';
import { proves } from '../../../../support/proves.ts';

const TIMEOUT = { timeout: 300_000 };
const LOOPBACK = [{ cidrBlock: '127.0.0.1/32', description: '' }];
let world: LocalWorld;
let id = '';
let addresses: { readonly internal: string; readonly external: string };
beforeAll(async () => {
  world = await localWorld();
  ({ id } = await availablePostgres(world));
  addresses = await world.provider.postgres.connection(id);
  await asOwner(addresses.internal, 'create table notes (n int, word text)');
}, TIMEOUT.timeout);
afterAll(() => world.close(), TIMEOUT.timeout);

test('the owner writes over both addresses, and what was written is read', TIMEOUT, async () => {
  await asOwner(addresses.internal, "insert into notes values (1, 'one')");
  await asOwner(addresses.external, "insert into notes values (2, 'two')");
  expect(await read('select n, word from notes order by n')).toEqual([
    [1, 'one'],
    [2, 'two'],
  ]);
});

test('tables of schemas and sequences that come later are read too', TIMEOUT, async () => {
  await asOwner(addresses.internal, 'create schema later; create table later.t as select 7 as n');
  expect(await read('select n from later.t')).toEqual([[7]]);
});

test('it listens on this machine alone, as a user of its own without rights', TIMEOUT, async () => {
  const pid = pidOf(world, id);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const { port } = new URL(addresses.external);
  const wanted = Number(port).toString(16).toUpperCase().padStart(4, '0');
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').split('\n'),
  );
  const listening = rows.filter((row) => row.includes(`:${wanted} `) && / 0A /.test(row));
  expect(listening).toHaveLength(1);
  expect(listening[0]).toContain(`0100007F:${wanted}`);
  if (process.getuid?.() !== 0) return;
  expect(status).toMatch(/^CapEff:\t0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  expect(status).not.toMatch(/^Uid:\t0\t/m);
  const secrets = join(world.folder, 'hosting/local/services', id, 'secrets.json');
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
});

test('its memory and processes stand in a group of the kernel', TIMEOUT, async (context) => {
  if (detectCgroups().kind === 'none') return context.skip('the kernel lets us make no groups');
  const runs = join(world.folder, 'hosting', 'local', 'runs');
  const name = `stoa-${hashFolderIdentity(runs)}-${runsOf(world, id).at(-1)}`;
  expect(detectCgroups().pids(name)).toContain(pidOf(world, id));
});

test('the allowlist is enforced by the server itself, also for the owner', TIMEOUT, async () => {
  proves('H4.postgres.s1');
  const { postgres } = world.provider;
  await postgres.setAllowList(id, [{ cidrBlock: '10.0.0.0/8', description: '' }]);
  await expect(asOwner(addresses.external, 'select 1')).rejects.toMatchObject({ code: '28000' });
  await asOwner(addresses.internal, 'select 1');
  await refused(query('select 1'), 'SQL_BLOCKED');
  await postgres.setAllowList(id, []);
  await refused(query('select 1'), 'SQL_BLOCKED');
  await expect(asOwner(addresses.external, 'select 1')).rejects.toMatchObject({ code: '28000' });
  await postgres.setAllowList(id, LOOPBACK);
  expect(await read('select 1')).toEqual([[1]]);
});

test('a changed allowlist is taken while it runs: what it lets in no more is ended, the rest goes on', {
  ...TIMEOUT,
}, async () => {
  const { postgres } = world.provider;
  const begun = 'select pg_postmaster_start_time() as at';
  const before = await asOwner(addresses.internal, begun);
  const runs = runsOf(world, id);
  const outside = await held(addresses.external);
  const inside = await held(addresses.internal);
  const silent = connect(Number(new URL(addresses.external).port), '127.0.0.1');
  await once(silent, 'connect');
  try {
    await inside.client.query('create temp table own (n int)');
    // A list that still lets this machine in ends nobody.
    await postgres.setAllowList(id, [...LOOPBACK, { cidrBlock: '10.0.0.0/8', description: '' }]);
    expect((await outside.client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);

    await postgres.setAllowList(id, [{ cidrBlock: '10.0.0.0/8', description: '' }]);
    await outside.ended;
    // It had not said who it is, and would have been asked under the rules of before.
    await expect.poll(() => silent.destroyed || silent.readableEnded).toBe(true);
    expect((await inside.client.query('select count(*) as n from own')).rows).toEqual([{ n: '0' }]);
    expect((await asOwner(addresses.internal, begun)).rows).toEqual(before.rows);
    expect(runsOf(world, id)).toEqual(runs);
    expect((await postgres.get(id)).status).toBe('available');
  } finally {
    silent.destroy();
    await outside.client.end().catch(() => undefined);
    await inside.client.end();
    await postgres.setAllowList(id, LOOPBACK);
  }
});

test('nobody enters without the password, over neither address', TIMEOUT, async () => {
  for (const address of [addresses.internal, addresses.external]) {
    const wrong = address.replace(/:[^:@/]+@/, ':wrong@');
    await expect(asOwner(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  }
  const admin = addresses.external.replace(/\/\/[^:]+:/, '//stoa_admin:');
  await expect(asOwner(admin, 'select 1')).rejects.toMatchObject({ code: '28000' });
});

test('it goes on while the daemon is away, and is the same for the next one', TIMEOUT, async () => {
  await available();
  const pid = pidOf(world, id);
  const begun = await asOwner(addresses.external, 'select pg_postmaster_start_time() as at');
  await world.reopen();
  await available();
  expect(pidOf(world, id)).toBe(pid);
  expect((await world.provider.postgres.connection(id)).external).toBe(addresses.external);
  const now = await asOwner(addresses.external, 'select pg_postmaster_start_time() as at');
  expect(now.rows).toEqual(begun.rows);
});

test('a killed server comes back by itself with all that was committed', TIMEOUT, async () => {
  await available();
  await asOwner(addresses.external, 'insert into notes select g from generate_series(10, 1009) g');
  const before = runsOf(world, id).length;
  process.kill(pidOf(world, id), 'SIGKILL');
  await world.until(async () => runsOf(world, id).length > before, 'the next start');
  await available();
  expect(await read('select count(*) from notes where n >= 10')).toEqual([['1000']]);
  expect((await world.provider.postgres.connection(id)).external).toBe(addresses.external);
});

test('a server ends in order: the next start has nothing to recover', TIMEOUT, async () => {
  await available();
  const before = runsOf(world, id).length;
  await world.engine.tell(id, { type: 'SUSPEND' });
  const isStopped = ({ value }: View) => JSON.stringify(value) === '{"suspended":"stopped"}';
  await world.engine.waitFor(id, isStopped, { timeoutMs: 60_000 });
  await world.engine.tell(id, { type: 'RESUME' });
  await world.until(async () => runsOf(world, id).length > before, 'the next start');
  await available();
  expect(logOf(world, id)).toContain('database system is shut down');
});

test('what it uses is sampled, with the connections that it serves', TIMEOUT, async (context) => {
  if (detectCgroups().kind === 'none') return context.skip('the kernel lets us make no groups');
  await available();
  const held = new Client({ connectionString: addresses.external });
  held.on('error', () => undefined);
  await held.connect();
  try {
    const last = async (type: MetricType) => {
      const now = Date.now();
      const [series] = await world.provider.metrics.series({
        resourceId: id,
        type,
        start: now - 120_000,
        end: now + 60_000,
        resolutionSec: 30,
        cpuAggregation: 'MAX',
        latencyQuantile: 0.95,
      });
      return series?.values.at(-1)?.value ?? 0;
    };
    await world.until(async () => (await last('active_connections')) > 0, 'the connection');
    expect(await last('memory_usage')).toBeGreaterThan(1_048_576);
    expect(await last('memory_limit')).toBe(256 * 1_048_576);
    expect(await last('cpu_limit')).toBe(0.1);
  } finally {
    await held.end();
  }
});

test('passwords are in no log and no setting', TIMEOUT, async () => {
  const { password } = new URL(addresses.external);
  const settings = join(world.folder, 'hosting/local/services', id, 'settings');
  const texts = readdirSync(settings).map((name) => readFileSync(join(settings, name), 'utf8'));
  expect([...texts, logOf(world, id)].join('\n')).not.toContain(password);
  expect(existsSync(join(settings, 'admin-password'))).toBe(false);
});

test('another major runs beside it, and nothing of a removed one stays', TIMEOUT, async () => {
  const { postgres } = world.provider;
  const order = postgresOrder(world, { name: 'PG 15', version: 15, plan: 'basic_256mb' });
  const made = await postgres.create(order);
  await world.until(async () => (await postgres.get(made.id)).status === 'available', made.id);
  const signal = new AbortController().signal;
  const { rows } = await postgres.query(made.id, 'show server_version_num', signal);
  expect(String(rows[0]?.[0])).toMatch(/^15/);
  const pid = pidOf(world, made.id);
  await postgres.remove(made.id);
  const folder = join(world.folder, 'hosting/local/services', made.id);
  await world.until(async () => !existsSync(folder), 'the end of its folder');
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test(
  'a plan that the machine has no room for is refused with those that fit',
  TIMEOUT,
  async () => {
    const order = postgresOrder(world, { name: 'large', plan: 'accelerated_1024gb' });
    const error = await refused(world.provider.postgres.create(order), 'HOST_CAPACITY');
    expect(error.message).toContain('basic_256mb');
  },
);

async function available(): Promise<void> {
  const { postgres } = world.provider;
  const isUp = async () => (await postgres.get(id)).status === 'available';
  // The record changes a moment after the server does.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world.until(isUp, `${id} to be available`);
}

/** A connection that stays open; `ended` holds once the server ends it. */
async function held(address: string) {
  const client = new Client({ connectionString: address });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('error', () => undefined);
  await client.connect();
  return { client, ended };
}

function query(sql: string) {
  return world.provider.postgres.query(id, sql, new AbortController().signal);
}

async function read(sql: string) {
  return (await query(sql)).rows;
}
