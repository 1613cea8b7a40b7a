import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { httpLoopback, type Loopback } from '../loopback.ts';
import { targetNamed } from './all-targets.ts';
import { startTarget } from './start-target.ts';
import { callWeakSpot } from './steps/step.ts';
import { begin, hello, send } from './steps/wire.ts';
import type { RunningTarget, Variant } from './target.ts';

const INFO = { name: 'peer', version: '1' };
const VARIANT: Variant = { seed: 1, fixed: true };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

test('both generations of the official client list and call', async () => {
  const { url, weakSpot } = await start('stack-traces');
  const values = weakSpot.argumentsWith('Asia/Tokyo');
  const first = new Client(INFO);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await first.connect(transport as Parameters<typeof first.connect>[0]);
  const second = new ModernClient(INFO);
  await second.connect(new ModernHttp(new URL(url)));
  for (const client of [first, second]) {
    expect((await client.listTools()).tools[0]?.name).toBe(weakSpot.tool);
    const answer = await client.callTool({ name: weakSpot.tool, arguments: values });
    expect(JSON.stringify(answer.content)).toContain('+09:00');
    await client.close();
  }
});

test('files below .well-known are served as they were put there', async () => {
  const target = await start('stack-traces');
  target.serveWellKnown('stoa-audit.json', '{"one":1}');
  target.serveWellKnown('/.well-known/other.txt', 'two');
  const got = async (path: string) => send(target, { method: 'GET', path });
  expect((await got('/.well-known/stoa-audit.json')).text).toBe('{"one":1}');
  expect((await got('/.well-known/other.txt')).text).toBe('two');
  expect((await got('/.well-known/none')).status).toBe(404);
});

test('bearer access needs the headers of the target, at each request', async () => {
  const target = await start('stack-traces', { ...VARIANT, access: 'bearer' });
  const without = await send(target, { body: hello(), headers: { authorization: '' } });
  expect(without.status).toBe(401);
  expect((await begin(target)).id).not.toBe('');
  const open = await start('unannotated-acting', { ...VARIANT, access: 'open' });
  expect(open.headers).toEqual({});
});

test('bodies above the bound, foreign paths and bursts are refused', async () => {
  const target = await start('stack-traces', {
    ...VARIANT,
    front: { burstMax: 3, refillPerSecond: 0 },
  });
  const large = await send(target, { body: JSON.stringify('x'.repeat(200_000)) });
  const foreign = await send(target, { path: '/other' });
  const broken = await send(target, { body: '{' });
  const last = [await send(target, { body: hello() }), await send(target, { body: hello() })];
  expect([large, foreign, broken, ...last].map(({ status }) => status)).toEqual([
    413, 404, 400, 200, 429,
  ]);
});

test('what a target saw is written down', async () => {
  const target = await start('secrets-in-errors', { seed: 0, fixed: false });
  await callWeakSpot(target, 'O-9999');
  const [first] = target.observed.requests;
  expect(first).toMatchObject({ method: 'POST', path: '/mcp', origin: undefined });
  expect(target.observed.calls.map(({ tool }) => tool)).toEqual([target.weakSpot.tool]);
  expect(target.observed.effects).toEqual(['secret in an error']);
});

test('an admitted port is fetched, as one of the internet or of the inside', async () => {
  const page = await listener('a page of the test');
  const target = await start('internal-requests', { seed: 3, fixed: true });
  const refused = await callWeakSpot(target, page.url);
  target.admit(page.port, 'internal');
  const inside = await callWeakSpot(target, page.url);
  expect([refused.isError, inside.isError, page.hits.length]).toEqual([true, true, 0]);
  target.admit(page.port, 'public');
  expect((await callWeakSpot(target, page.url)).isError).toBe(false);
  expect(page.hits.length).toBe(1);
});

test('a port of the inside is asked by the faulty form only', async () => {
  const page = await listener('inside');
  const seeds = [0, 1, 2, 3, 4, 5, 6, 7];
  for (const seed of seeds) {
    const target = await start('internal-requests', { seed, fixed: false });
    target.admit(page.port, 'internal');
    await callWeakSpot(target, `http://[::1]:${page.port}/${seed}`);
    await callWeakSpot(target, `http://2130706433:${page.port}/${seed}`);
  }
  expect(new Set(page.hits.map((hit) => hit.split('/')[1])).size).toBe(seeds.length);
});

test('a redirect of an admitted page leads inside, on the faulty form only', async () => {
  const page = await httpLoopback((_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
  });
  opened.push(page);
  for (const fixed of [false, true]) {
    const target = await start('internal-redirect', { seed: 0, fixed });
    target.admit(page.port, 'public');
    expect((await callWeakSpot(target, page.url)).isError).toBe(fixed);
    expect(target.observed.effects.length).toBe(fixed ? 0 : 1);
  }
});

async function start(name: string, variant: Variant = VARIANT): Promise<RunningTarget> {
  const target = await startTarget(targetNamed(name), variant);
  opened.push(target);
  return target;
}

async function listener(text: string): Promise<Loopback> {
  const page = await httpLoopback((_request, response) => response.end(text));
  opened.push(page);
  return page;
}
