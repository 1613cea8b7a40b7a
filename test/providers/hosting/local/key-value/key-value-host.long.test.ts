import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect } from 'vitest';
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

let rig: KeyValueRig;
beforeEach(() => {
  rig = keyValueRig();
});
afterEach(async () => {
  await rig.close();
});

test('an instance is made, started, used and stopped', async () => {
  const database = keyValueOf();
  await rig.host.admit(database.record);
  await rig.up(database);
  const { internal } = rig.host.connectionAddresses(database);
  expect(await askOnce(internal, 'SET', 'greeting', 'hi')).toBe('OK');
  expect(await askOnce(internal, 'GET', 'greeting')).toBe('hi');
  await rig.host.stop(database);
  await expect(askOnce(internal, 'PING')).rejects.toThrow('ECONNREFUSED');
  await rig.host.stop(database);
});

test('the program is told by name and version', async () => {
  const abilities = await rig.host.listFeatures();
  expect(abilities).toEqual({
    '': { able: true, version: expect.stringMatching(/^(Redis|Valkey) \d+\.\d+\.\d+$/) },
  });
});

test('the memory of the plan is the server’s, and the kernel’s bound is above it', async () => {
  const database = keyValueOf({ plan: 'starter' });
  await rig.up(database);
  const memory = await rig.admin(database, 'CONFIG', 'GET', 'maxmemory');
  expect(memory).toEqual(['maxmemory', String(256 * 1_048_576)]);
  expect(rig.runner.getState(runOf(rig))).toMatchObject({
    record: { service: database.record.id, type: 'app', limits: { cpu: 0.25, memoryMib: 448 } },
  });
});

test('the watch sees a server that was killed, with why', async () => {
  const database = keyValueOf();
  await rig.up(database);
  const watched = rig.host.watch(database, never);
  await killServer(rig, database);
  expect(await watched).toEqual({ ok: false, reason: 'signal 9 killed it', isFinal: false });
});

test('a watch that is aborted ends, and the server goes on', async () => {
  const database = keyValueOf();
  await rig.up(database);
  const abort = new AbortController();
  const watched = rig.host.watch(database, abort.signal);
  abort.abort(new Error('the daemon ends'));
  await expect(watched).rejects.toThrow('the daemon ends');
  expect(await askOnce(rig.host.connectionAddresses(database).internal, 'PING')).toBe('PONG');
});

test('another daemon takes up the server that runs, under its port and password', async () => {
  const database = keyValueOf();
  await rig.up(database);
  const { internal } = rig.host.connectionAddresses(database);
  const client = await respClient(internal);
  await client.ask('SET', 'k', 'v');
  const { pid } = readPids(rig.runner.paths(runOf(rig)));

  const next = rig.again();
  await next.up(database);
  expect(next.host.connectionAddresses(database).internal).toBe(internal);
  expect(readPids(next.runner.paths(runOf(next))).pid).toBe(pid);
  // The connection of a tenant did not notice.
  expect(await client.ask('GET', 'k')).toBe('v');
  client.close();
  const watched = next.host.watch(database, never);
  await killServer(next, database);
  expect(await watched).toMatchObject({ ok: false });
});

test('a server whose tenant keeps it busy is taken up as well, and the tenant can end that', async () => {
  const database = keyValueOf();
  await rig.up(database);
  const { internal } = rig.host.connectionAddresses(database);
  const [client, other] = [await respClient(internal), await respClient(internal)];
  const endless = client.ask('EVAL', 'while true do end', 0);
  const ended = expect(endless).rejects.toThrow('Script killed');
  const next = rig.again();
  expect(await next.host.start(database, never)).toEqual({ ok: true });
  await expect(other.ask('GET', 'k')).rejects.toThrow('BUSY');
  await other.ask('SCRIPT', 'KILL');
  await ended;
  expect(await other.ask('GET', 'k')).toBeNull();
  client.close();
  other.close();
});

test('a port that another program took fails the start with its name, and nothing hears the password', async () => {
  const database = keyValueOf();
  await rig.host.make(database, never);
  const port = Number(new URL(rig.host.connectionAddresses(database).internal).port);
  let heard = '';
  const thief = createServer((socket) => socket.on('data', (bytes) => (heard += String(bytes))));
  await new Promise<void>((resolve) => thief.listen(port, '127.0.0.1', resolve));
  const end = await rig.host.start(database, never);
  expect(end).toMatchObject({ ok: false, isFinal: false });
  expect(JSON.stringify(end)).toContain(String(port));
  expect(heard).toBe('');
  await new Promise((resolve) => thief.close(resolve));
  expect(await rig.host.start(database, never)).toEqual({ ok: true });
});

test('an instance without its files is not started empty', async () => {
  expect(await rig.host.start(keyValueOf(), never)).toEqual({
    ok: false,
    reason: 'its files are missing',
    isFinal: true,
  });
});

test('erasing leaves neither process nor file nor run, and may be repeated', async () => {
  const [gone, stays] = [keyValueOf(), keyValueOf()];
  await rig.up(gone);
  await rig.up(stays);
  const { internal } = rig.host.connectionAddresses(gone);
  await rig.host.erase(gone);
  await rig.host.erase(gone);
  await expect(askOnce(internal, 'PING')).rejects.toThrow('ECONNREFUSED');
  expect(existsSync(rig.layout.service(gone.record.id))).toBe(false);
  expect(rig.runner.names()).toEqual([runOf(rig, stays)]);
  expect(await askOnce(rig.host.connectionAddresses(stays).internal, 'PING')).toBe('PONG');
  expect(() => rig.host.connectionAddresses(gone)).toThrow('not been created yet');
});
