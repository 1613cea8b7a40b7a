import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer } from '../support/payer.ts';
import {
  challengeFor,
  codeOf,
  jobOf,
  onChain,
  payFor,
  rawCall,
  receiptOf,
} from '../support/raw-calls.ts';
import { balanceOf, cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

// Of the attacks in attacks.long.test.ts those that need a server of their own.

afterAll(cleanUp);

const tool = 'deliberation_multi-agent-debate';
const options = ['first', 'second'].map((name, at) => ({ name, scores: { cost: at + 1 } }));
const criteria = [{ name: 'cost', higher_is_better: false }];
const args = { question: 'After a restart?', options, criteria, wait_s: 20 };

test('II: a payment that was granted is granted to nobody else after a restart', {
  timeout: 240_000,
}, async () => {
  const dataDir = freshDataDir();
  const before = await startRealServer(dataDir);
  const payer = createPayer();
  await fund(before, payer.address);
  const call = { tool, carrier: 'meta', args } as const;
  const payment = await payFor(payer, await challengeFor({ ready: before.ready, ...call }));
  const first = await rawCall({ ready: before.ready, ...call, payments: [payment] });
  const balance = await balanceOf(before, payer.address);
  await before.kill();

  const { ready, ...after } = await startRealServer(dataDir);
  const other = { ...call, args: { ...args, question: 'Another one?' } };
  const present = (more: object) => rawCall({ ready, ...call, payments: [payment], ...more });
  expect(codeOf(await present(other))).toBe('PAYMENT_CONFLICT');
  const copies = { carrier: 'header', payments: [onChain(payment)] };
  expect(codeOf(await present(copies))).toBe('PAYMENT_REPLAYED');
  const again = await present({});
  expect(jobOf(again)).toBe(jobOf(first));
  expect(receiptOf(again)).toEqual(receiptOf(first));
  expect(await balanceOf({ ready, ...after }, payer.address)).toBe(balance);
  expect(await expectBooksBalanced({ ready })).toMatchObject({ in: 2_000_000n, kept: 2_000_000n });
});

test('IV: a public address that is configured is the only one that is named', {
  timeout: 120_000,
}, async () => {
  const url = 'https://stoa.example/base';
  const port = await freePort();
  const flags = ['--port', String(port)];
  await startRealServer(freshDataDir(), flags, { STOA_PUBLIC_URL: url });
  const local = `http://127.0.0.1:${port}`;
  const ready = { mcp_v1: `${local}/v1/mcp`, mcp_v2: `${local}/v2/` };
  const forwarded = { headers: [['x-forwarded-host', 'evil.example']] } as const;
  for (const more of [{}, forwarded]) {
    const ask = { ready, tool, carrier: 'header', args, ...more } as const;
    const { resource, extensions } = await challengeFor(ask);
    expect(resource.url.split('#')[0]).toBe(`${url}/v1/mcp`);
    const [offer] = Object(extensions?.['offer-receipt']).info.offers;
    expect(offer.payload.resourceUrl).toBe(resource.url);
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
