import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createUpstreamReader } from '../../../../src/providers/data/upstream-reader.ts';
import { type CcxtCall, CcxtThread } from '../../../../src/providers/market/ccxt/ccxt-thread.ts';
import { createExchanges } from '../../../../src/providers/market/exchanges.ts';
import { createEgress } from '../../../../src/providers/net/egress.ts';
import { realClock } from '../../../support/real-clock.ts';

const CALL: CcxtCall = {
  venue: 'okx',
  method: 'fetchTicker',
  args: ['BTC/USDT'],
  now: 1_767_225_600_000,
  market: { id: 'BTC-USDT', symbol: 'BTC/USDT', base: 'BTC', quote: 'USDT', spot: true },
};
const ADDRESS = 'https://www.okx.com/api/v5/market/ticker?instId=BTC-USDT';
const answer = (body: string, status = 200) => ({
  status,
  body: new TextEncoder().encode(body),
  json: () => JSON.parse(body) as unknown,
});

/** A thread whose exchange has this code, in place of that of `ccxt`. */
function threadWith(code: string, callMs: number): CcxtThread {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-ccxt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'okx.js'), `export default class { setMarkets() {} ${code} }`);
  return new CcxtThread(realClock, { folder: `${pathToFileURL(folder).href}/`, callMs });
}

test('the thread is made for the first call, and let go after a minute without one', async () => {
  const timers: { at: number; run: () => void }[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    at: (at: number, run: () => void) => {
      const timer = { at, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const thread = new CcxtThread(clock);
  expect(thread.isLoaded).toBe(false);
  expect(await thread.findUrl(CALL)).toEqual({ value: ADDRESS });
  expect(thread.isLoaded).toBe(true);
  now = 59_999;
  for (const { at, run } of [...timers]) if (at <= now) run();
  expect(thread.isLoaded).toBe(true);
  now = 60_000;
  for (const { at, run } of [...timers]) if (at <= now) run();
  expect(thread.isLoaded).toBe(false);
  // The next call has another.
  expect(await thread.findUrl(CALL)).toEqual({ value: ADDRESS });
});

test('one that hangs is ended after its time, and the next call has another', async () => {
  const code = 'async fetchTicker(pair) { if (pair === "BTC/USDT") for (;;); return this.ask(); }';
  const asks =
    'ask() { return this.fetchImplementation("https://x.example/", { method: "GET" }); }';
  const thread = threadWith(`${code} ${asks}`, 3_000);
  const fault = 'upstream_unavailable';
  expect(await thread.findUrl(CALL)).toMatchObject({ fault });
  expect(thread.isLoaded).toBe(false);
  const parsed = await thread.parse(CALL, answer('{}'), z.unknown());
  expect(parsed).toMatchObject({ fault: 'upstream_bad_payload' });
  const other = { ...CALL, args: ['ETH/USDT'] };
  const isThere = await poll(() => thread.findUrl(other));
  expect(isThere).toEqual({ value: 'https://x.example/' });
});

test('one thread answers many calls, and another starts after five thousand', async () => {
  const code =
    'ask() { return this.fetchImplementation("https://x.example/" + ++this.calls, { method: "GET" }); }';
  const thread = threadWith(
    `calls = 0; async fetchTicker() { return this.ask(); } ${code}`,
    60_000,
  );
  for (let calls = 1; calls < 5_000; calls += 1) await thread.findUrl(CALL);
  expect(await thread.findUrl(CALL)).toEqual({ value: 'https://x.example/5000' });
  expect(await thread.findUrl(CALL)).toEqual({ value: 'https://x.example/1' });
});

/** A thread may take longer than its time to start on a busy machine. */
async function poll<T extends object>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const said = await ask();
    if (!('fault' in said) || tries === 20) return said;
  }
}

test.each([
  [
    'takes all memory',
    'async fetchTicker() { const all = []; for (;;) all.push([...Array(1e4)]); }',
  ],
  ['ends its thread', 'async fetchTicker() { process.exit(3); }'],
  ['throws what is no error', 'async fetchTicker() { throw undefined; }'],
  ['answers with what cannot be sent', 'async fetchTicker() { return { last: () => 1 }; }'],
])('code that %s is a fault, and not the end of the process', async (_name, code) => {
  const thread = threadWith(code, 60_000);
  expect(await thread.findUrl(CALL)).toMatchObject({ fault: 'upstream_unavailable' });
  const parsed = await thread.parse(CALL, answer('{"a":1}'), z.object({ last: z.string() }));
  expect(parsed).toMatchObject({ fault: 'upstream_bad_payload' });
});

test('a request that is no GET is not made, nor a second one, nor one at another host', async () => {
  const ask = (method: string, url: string) =>
    `await this.fetchImplementation("${url}", { method: "${method}" });`;
  const order = { venue: 'okx', pair: 'BTC/USDT', deadline: Date.now() + 60_000 };
  const clock = realClock;
  const egress = createEgress({ clock, userAgent: 'stoa/test' });
  onTestFinished(() => egress.close());
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const reader = createUpstreamReader({ egress, clock, random });
  const quoteOf = (code: string) => {
    const thread = threadWith(`async fetchTicker() { ${code} }`, 60_000);
    return createExchanges({ reader, clock, thread }).quotes.quote(order);
  };
  expect(await quoteOf(ask('POST', ADDRESS))).toMatchObject({
    fault: { code: 'upstream_unavailable' },
  });
  for (const url of ['http://169.254.169.254/', 'https://www.okx.com.evil.example/']) {
    const reading = await quoteOf(ask('GET', url));
    expect(reading).toMatchObject({ ok: false, fault: { code: 'ssrf_blocked', upstream: 'okx' } });
  }
  const twice = threadWith(
    `async fetchTicker() { ${ask('GET', ADDRESS)} ${ask('GET', ADDRESS)} }`,
    60_000,
  );
  const parsed = await twice.parse(CALL, answer('{}'), z.unknown());
  expect(parsed).toMatchObject({ fault: 'upstream_bad_payload', why: 'HTTP 200, Error.' });
});

test('a body that is cut off is none, although ccxt reads it without a word', async () => {
  const cut = { ...answer('{}'), json: () => undefined };
  const parsed = await new CcxtThread(realClock).parse(CALL, cut, z.unknown());
  expect(parsed).toEqual({ fault: 'upstream_bad_payload', why: 'Not valid JSON.' });
});
