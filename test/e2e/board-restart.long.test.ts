import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { BidView, JobView, RequestView } from '../../src/domain/escrow/work.ts';
import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { type SigningWallet, signingWallet } from '../support/signing-wallet.ts';

/** When the server is killed after a payment has been sent, in milliseconds. */
const KILLED_AFTER_MS = [3, 40, 160];
const PRICE = 5_000_000n;

afterAll(cleanUp);

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function signed(wallet: SigningWallet, path: string, json?: unknown): Promise<Sent> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const header = await wallet.header({ method: 'POST', path, ...body });
  return { path, headers: { 'content-type': 'application/json', 'stoa-wallet': header }, ...body };
}

function send({ ready }: RealServer, { path, ...init }: Sent): Promise<Response> {
  return fetch(`${ready.base_url}${path}`, { method: 'POST', ...init });
}

async function told<Value>(answer: Response): Promise<Value> {
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text) as Value;
}

test('a server that is killed while a job is being paid makes it once, and the same signed request tells it', {
  timeout: 300_000,
}, async () => {
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  const payer = createPayer();
  const { id: chainId, escrow } = server.ready.chain;
  const { origin } = new URL(server.ready.base_url);
  const domain = { chainId, verifyingContract: String(escrow), origin };
  const buyer = signingWallet(domain, payer.privateKey);
  const provider = signingWallet(domain);
  await fund(server, payer.address, '20');
  const port = new URL(server.ready.base_url).port;
  let left = 20_000_000n;
  for (const killedAfterMs of KILLED_AFTER_MS) {
    const order = {
      capability_id: 'translation',
      task_description: 'Translate.',
      budget_usd: '5',
      funding: 'escrow',
    };
    const request = await told<RequestView>(
      await send(server, await signed(buyer, '/a2a/requests', order)),
    );
    const bids = `/a2a/requests/${request.request_id}/bids`;
    const bid = await told<BidView>(
      await send(server, await signed(provider, bids, { price_usd: '5' })),
    );
    const accept = await signed(buyer, `/a2a/bids/${bid.bid_id}/accept`);
    const challenge = await send(server, accept);
    expect(challenge.status).toBe(402);
    const required = JSON.parse(
      Buffer.from(challenge.headers.get('payment-required') ?? '', 'base64').toString('utf8'),
    ) as PaymentRequired;
    const payment = await payer.pay(required.accepts[0] as PaymentRequired['accepts'][number]);
    const paying: Sent = {
      ...accept,
      headers: {
        ...accept.headers,
        'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
      },
    };
    const lost = send(server, paying).catch(() => undefined);
    await sleep(killedAfterMs);
    await server.kill();
    await lost;
    server = await startRealServer(dataDir, ['--port', port]);
    const job = await told<JobView>(await send(server, paying));
    const again = await told<JobView>(await send(server, paying));
    expect(again.job_id).toBe(job.job_id);
    expect(job.state).toMatch(/^escrowed/);
    left -= PRICE;
    expect(await balanceOf(server, payer.address)).toBe(left);
    const balances = await fetch(`${server.ready.base_url}/a2a/treasury/balances`);
    const spent = 20_000_000n - left;
    expect(await balances.json()).toMatchObject({
      solvent: true,
      escrow: { balance: { micro_usd: String(spent) }, held: { micro_usd: String(spent) } },
      open_jobs: { amount: { micro_usd: String(spent) } },
    });
    const audited = await expectBooksBalanced(server, {
      hint: `killed after ${killedAfterMs} ms`,
    });
    expect(audited).toMatchObject({ in: spent, held: spent, openJobs: spent });
  }
});
