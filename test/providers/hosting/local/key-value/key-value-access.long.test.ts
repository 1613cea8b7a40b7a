import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { getKeyValuePaths } from '../../../../../src/providers/hosting/local/key-value/instance-files.ts';
import { readPids } from '../../../../../src/providers/hosting/local/run/run-files.ts';
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
const isRoot = process.getuid?.() === 0;

let rig: KeyValueRig;
beforeEach(() => {
  rig = keyValueRig();
});
afterEach(async () => {
  await rig.close();
});

describe('who may connect', () => {
  test('a wrong password, no password and the default user are refused', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const url = new URL(rig.host.connectionAddresses(database).internal);
    const { port } = url;
    url.password = 'wrong';
    await expect(askOnce(url.href, 'PING')).rejects.toThrow('WRONGPASS');
    await expect(askOnce(`redis://127.0.0.1:${port}`, 'PING')).rejects.toThrow('NOAUTH');
    const usual = `redis://default:${database.password}@127.0.0.1:${port}`;
    await expect(askOnce(usual, 'PING')).rejects.toThrow('WRONGPASS');
  });

  test('the password of one instance opens no other', async () => {
    const [one, other] = [keyValueOf(), keyValueOf()];
    await rig.up(one);
    await rig.up(other);
    const own = new URL(rig.host.connectionAddresses(one).internal);
    const { port } = new URL(rig.host.connectionAddresses(other).internal);
    expect(port).not.toBe(own.port);
    own.port = port;
    await expect(askOnce(own.href, 'PING')).rejects.toThrow('WRONGPASS');
    own.username = other.record.id;
    await expect(askOnce(own.href, 'PING')).rejects.toThrow('WRONGPASS');
  });

  test('servers listen on 127.0.0.1 alone', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const port = Number(new URL(rig.host.connectionAddresses(database).internal).port);
    const wanted = port.toString(16).toUpperCase().padStart(4, '0');
    const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8').split('\n'),
    );
    const heard = rows.filter((row) => row.includes(`:${wanted} `) && row.includes(' 0A '));
    expect(heard.map((row) => row.trim().split(/\s+/)[1])).toEqual([`0100007F:${wanted}`]);
  });
});

describe('the allowlist', () => {
  test.each([
    ['127.0.0.0/8', true],
    ['127.0.0.1/32', true],
    ['0.0.0.0/0', true],
    ['10.1.0.0/16', false],
    ['::1/128', false],
    [undefined, false],
  ])('an allowlist of %s: the external address is open: %s', async (cidrBlock, isOpen) => {
    const ipAllowList = cidrBlock === undefined ? [] : [{ cidrBlock, description: '' }];
    const database = keyValueOf({ ipAllowList });
    await rig.up(database);
    const { internal, external } = rig.host.connectionAddresses(database);
    expect(await askOnce(internal, 'PING')).toBe('PONG');
    const asked = askOnce(external, 'PING');
    if (isOpen) expect(await asked).toBe('PONG');
    else await expect(asked).rejects.toThrow('WRONGPASS');
  });

  test('a changed allowlist is taken while it runs: what came over the closed address is ended, all else stays', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const { internal, external } = rig.host.connectionAddresses(database);
    const [outside, inside] = [await respClient(external), await respClient(internal)];
    expect(await inside.ask('SET', 'kept', 'in memory alone')).toBe('OK');
    const { pid } = readPids(rig.runner.paths(runOf(rig)));

    const closed = { ...database, record: { ...database.record, ipAllowList: [] } };
    expect(await rig.host.reload(closed, never)).toEqual({ ok: true });
    await expect(outside.ask('PING')).rejects.toThrow(/closed|ended|ECONNRESET/);
    await expect(askOnce(external, 'PING')).rejects.toThrow('WRONGPASS');
    expect(await inside.ask('GET', 'kept')).toBe('in memory alone');

    expect(await rig.host.reload(database, never)).toEqual({ ok: true });
    expect(await askOnce(external, 'GET', 'kept')).toBe('in memory alone');
    expect(readPids(rig.runner.paths(runOf(rig))).pid).toBe(pid);
    inside.close();
  });

  test('a daemon that comes after the change has the server that runs take it', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const { internal, external } = rig.host.connectionAddresses(database);
    await askOnce(internal, 'SET', 'kept', 'v');
    const closed = { ...database, record: { ...database.record, ipAllowList: [] } };
    const next = rig.again();
    expect(await next.host.start(closed, never)).toEqual({ ok: true });
    await expect(askOnce(external, 'PING')).rejects.toThrow('WRONGPASS');
    expect(await askOnce(internal, 'GET', 'kept')).toBe('v');
  });

  test('a server begun before allowlists could be taken while it runs is taken up as it is', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const { internal } = rig.host.connectionAddresses(database);
    await askOnce(internal, 'SET', 'kept', 'v');
    const { plan, options } = database.record;
    const { settings } = getKeyValuePaths(rig.layout, database.record.id);
    writeFileSync(settings, JSON.stringify({ plan, options, isOpen: true }));
    expect(await rig.again().host.start(database, never)).toEqual({ ok: true });
    expect(await askOnce(internal, 'GET', 'kept')).toBe('v');
  });
});

describe('a changed allowlist and the next start', () => {
  test('a closed address stays closed after the next start', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const closed = { ...database, record: { ...database.record, ipAllowList: [] } };
    expect(await rig.host.reload(closed, never)).toEqual({ ok: true });
    await killServer(rig, database);
    expect(await rig.host.start(closed, never)).toEqual({ ok: true });
    const { external } = rig.host.connectionAddresses(closed);
    await expect(askOnce(external, 'PING')).rejects.toThrow('WRONGPASS');
  });

  test('a server that does not run takes nothing, and other settings need a start', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const options = { ...database.record.options, maxmemoryPolicy: 'allkeys_lru' } as const;
    const changed = { ...database, record: { ...database.record, options } };
    const needed = { ok: false, reason: 'its settings have changed', isFinal: false };
    expect(await rig.host.reload(changed, never)).toEqual(needed);
    expect(await rig.host.watch(changed, never)).toEqual(needed);
    expect(await rig.host.start(changed, never)).toEqual({ ok: true });
    const policy = await rig.admin(changed, 'CONFIG', 'GET', 'maxmemory-policy');
    expect(policy).toEqual(['maxmemory-policy', 'allkeys-lru']);
    await rig.host.stop(changed);
    expect(await rig.host.reload(changed, never)).toMatchObject({ reason: 'it is not running' });
  });
});

describe('what a tenant may call', () => {
  const REFUSED = [
    ...['CONFIG GET dir', 'CONFIG SET dir /tmp', 'CONFIG REWRITE', 'MODULE LIST'],
    ...['MODULE LOAD /tmp/x.so', 'DEBUG SLEEP 0', 'SHUTDOWN NOSAVE', 'REPLICAOF 127.0.0.1 1'],
    ...['SLAVEOF 127.0.0.1 1', 'SAVE', 'BGSAVE', 'BGREWRITEAOF', 'ACL LIST'],
    ...['ACL SETUSER x on', 'MIGRATE 127.0.0.1 1 k 0 1', 'RESTORE k 0 x', 'MONITOR', 'SYNC'],
    ...['PSYNC ? -1', 'REPLCONF ack 1', 'CLIENT PAUSE 1', 'CLUSTER MEET 127.0.0.1 1', 'FAILOVER'],
    ...['LATENCY RESET', 'SCRIPT DEBUG YES', 'PFDEBUG GETREG k'],
  ];
  const ALLOWED = [
    ...['PING', 'INFO', 'KEYS *', 'FLUSHALL', 'FLUSHDB', 'DBSIZE', 'CLIENT LIST', 'CLIENT ID'],
    ...['COMMAND COUNT', 'SORT list', 'EVAL return(1) 0', 'SCRIPT LOAD return(1)', 'ROLE'],
    ...['SLOWLOG GET', 'MEMORY USAGE k', 'SELECT 1', 'PUBLISH c m', 'XADD s * f v', 'HELLO'],
  ];

  test.each(['internal', 'external'] as const)('over the %s address', async (side) => {
    const database = keyValueOf();
    await rig.up(database);
    const client = await respClient(rig.host.connectionAddresses(database)[side]);
    for (const line of REFUSED) {
      const asked = client.ask(...line.split(' '));
      await expect(asked, line).rejects.toThrow(/NOPERM|not allowed/);
    }
    for (const line of ALLOWED) await client.ask(...line.split(' '));
    client.close();
    expect(rig.runner.getState(runOf(rig)).state).toBe('running');
  });

  test('nor by a script', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const client = await respClient(rig.host.connectionAddresses(database).internal);
    for (const call of ["'CONFIG','GET','dir'", "'SHUTDOWN'", "'ACL','LIST'", "'DEBUG','RELOAD'"]) {
      const asked = client.ask('EVAL', `return redis.call(${call})`, 0);
      await expect(asked, call).rejects.toThrow(/can't run|not allowed|NOPERM|ACL/);
    }
    for (const name of ['io', 'os.execute', 'require', 'dofile', 'package']) {
      await expect(client.ask('EVAL', `return ${name}.x`, 0), name).rejects.toThrow();
    }
    client.close();
  });

  test('the settings file and the log tell no password', async () => {
    const database = keyValueOf();
    await rig.up(database);
    const { external } = rig.host.connectionAddresses(database);
    const place = rig.layout.service(database.record.id);
    const config = readFileSync(join(place, 'server', 'server.conf'), 'utf8');
    const log = readFileSync(rig.runner.paths(runOf(rig)).log, 'utf8');
    for (const text of [config, log]) {
      expect(text).not.toContain(database.password);
      expect(text).not.toContain(new URL(external).password);
    }
  });
});

describe.runIf(isRoot)('apart from others', () => {
  test('a server is a user of its own that writes to its data alone', async () => {
    const [one, other] = [keyValueOf(), keyValueOf()];
    await rig.up(one);
    await rig.up(other);
    const [own, others] = [
      rig.layout.assignUid(one.record.id),
      rig.layout.assignUid(other.record.id),
    ];
    expect(own).not.toBe(others);
    const { pid } = readPids(rig.runner.paths(runOf(rig, one)));
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\t${own}\\t${own}\\t${own}\\t${own}$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    // As it sees the disk: others' files are not there.
    const seen = `/proc/${pid}/root`;
    expect(existsSync(join(seen, rig.layout.service(other.record.id)))).toBe(false);
    expect(readdirSync(join(seen, 'mnt/app')).sort()).toEqual(['data', 'server.conf']);
    const { mode, uid } = statSync(join(seen, 'mnt/app/server.conf'));
    expect([(mode & 0o777).toString(8), uid]).toEqual(['440', 0]);
  });
});
