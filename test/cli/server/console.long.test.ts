import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postPage } from '../../support/console-rig.ts';
import {
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../../support/real-server.ts';
import { openSocket, refusalOf } from '../../support/socket-client.ts';
import { firstLine, runCli } from '../run-cli.ts';

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/console\/#enter=([\w-]{22})\n$/;

function enter({ ready }: RealServer, code: string): Promise<Response> {
  return postPage({ baseUrl: ready.base_url }, '/console/enter', { code });
}

test('it prints a link that enters once, and the server says the code nowhere', {
  timeout: 60_000,
}, async () => {
  const { code, stdout, stderr } = await runCli(['console', '--data', server.dataDir]);
  expect(code).toBe(0);
  const secret = LINK.exec(stdout)?.[1] ?? '';
  expect(stdout.startsWith(server.ready.console ?? 'none')).toBe(true);
  expect(stderr).toMatch(/^stoa: the link works once, until \d{4}-.*Z\n$/);
  expect((await enter(server, secret)).status).toBe(204);
  expect((await enter(server, secret)).status).toBe(401);
  const kept = readFileSync(`${server.dataDir}/ready.json`, 'utf8');
  expect(kept + server.errors()).not.toContain(secret);
});

test('the cookie of an entry is good after a restart of the server', async () => {
  const dataDir = freshDataDir();
  const first = await startRealServer(dataDir);
  const { stdout } = await runCli(['console', '--data', dataDir]);
  const answer = await enter(first, LINK.exec(stdout)?.[1] ?? '');
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  await first.stop();
  const second = await startRealServer(dataDir);
  const url = `${second.ready.base_url.replace('http', 'ws')}/inspect`;
  const refusal = await refusalOf(url, { origin: second.ready.base_url, cookie: `${cookie}x` });
  expect(refusal.status).toBe(401);
  const client = await openSocket(url, { origin: second.ready.base_url, cookie });
  expect(await client.text()).toContain('"topic":"hello"');
  client.raw.terminate();
  await second.stop();
}, 60_000);

describe('without a server', { timeout: 60_000 }, () => {
  test('it says so', async () => {
    const { code, stdout, stderr } = await runCli(['console', '--data', freshDataDir()]);
    expect([code, stdout]).toEqual([1, '']);
    expect(firstLine(stderr)).toContain('stoa: NOT_CONFIGURED: No server runs on this data');
  });
});
