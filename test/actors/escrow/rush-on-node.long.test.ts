import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobView } from '../../../src/domain/escrow/work.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../support/temp-dir.ts';
import {
  askedFor,
  jobOf,
  lifeOver,
  signMove,
  tenDollars,
  type WorkParty,
  type WorkProcess,
  workParty,
} from '../../support/work-world.ts';

const AT_ONCE = 20;
const PURSE = 1_000_000_000n;
const bytes = new TextEncoder().encode('done');
const sha = createHash('sha256').update(bytes).digest('hex');
const work = { deliverable: bytes, mimeType: 'text/plain' };

const folder = tempDir();
const clock = systemClock();
let chain: NodePaymentChain;
let running: WorkProcess;
let buyer: WorkParty;
let provider: WorkParty;
let treasury: bigint;
let calls = 0;

beforeAll(async () => {
  const notice = () => undefined;
  chain = await openPaymentChain({
    kind: 'local',
    dataDir: folder.path,
    now: clock.now,
    notice,
  });
  running = await lifeOver(chain, clock).start();
});
afterAll(async () => {
  await running.stop();
  await running.engine.close();
  await chain.close();
  folder.remove();
});

async function begin(): Promise<void> {
  [buyer, provider] = [workParty(), workParty()];
  await chain.faucet(buyer.wallet.address, String(PURSE));
  treasury = BigInt(await chain.balance(chain.facts.treasury));
}

const call = () => {
  calls += 1;
  return buyer.call(`call ${calls}`);
};

async function post(funding: 'escrow' | 'on_release', budgetMicroUsd = '10000000') {
  const { board } = running;
  const meant = { provider: provider.wallet.address, budgetMicroUsd };
  const { request_id } = await board.postRequest(tenDollars(funding, meant), call());
  return request_id;
}

async function offerOf(requestId: string) {
  return askedFor(await running.board.startJob(requestId, undefined, call()));
}

async function pay(requestId: string): Promise<PaymentPayload> {
  return buyer.payer.pay(await offerOf(requestId), { now: clock.now() });
}

async function fulfil(jobId: string): Promise<JobView> {
  const { board } = running;
  const job = await board.readJob(jobId);
  const signature =
    job.funding === 'escrow' ? await signMove(provider, job, 'fulfil', sha) : undefined;
  return board.fulfil(jobId, work, signature, provider.call(`fulfil ${jobId}`));
}

/** What has moved since the beginning. */
async function books() {
  const [mine, theirs, ours] = await Promise.all(
    [buyer.wallet.address, provider.wallet.address, chain.facts.treasury].map((wallet) =>
      chain.balance(wallet),
    ),
  );
  return {
    buyer: BigInt(mine ?? 0) - PURSE,
    provider: BigInt(theirs ?? 0),
    treasury: BigInt(ours ?? 0) - treasury,
  };
}

function codes(ends: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return ends.map((end) => (end.status === 'fulfilled' ? 'done' : end.reason.code));
}

test('twenty payments and twenty releases of one job at once move its money once', async () => {
  await begin();
  const { board } = running;
  const requestId = await post('escrow');
  const offer = await offerOf(requestId);
  const payments = await Promise.all(
    Array.from({ length: AT_ONCE }, () => buyer.payer.pay(offer, { now: clock.now() })),
  );
  const jobs = await Promise.all(payments.map((one) => board.startJob(requestId, one, call())));
  const ids = new Set(jobs.map((one) => jobOf(one).job_id));
  expect(ids.size).toBe(1);
  expect(await books()).toEqual({ buyer: -10_000_000n, provider: 0n, treasury: 0n });
  const [jobId = ''] = ids;
  const moveSignature = await signMove(buyer, await fulfil(jobId), 'release');
  const released = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () => board.complete(jobId, { moveSignature }, call())),
  );
  expect(codes(released).filter((code) => code === 'done')).toHaveLength(1);
  expect(await books()).toEqual({
    buyer: -10_000_000n,
    provider: 8_000_000n,
    treasury: 2_000_000n,
  });
});

test('one authorization brought to several jobs at once funds one of them', async () => {
  await begin();
  const { board } = running;
  const requests = [await post('escrow'), await post('escrow'), await post('escrow')];
  const payment = await pay(requests[0] ?? '');
  const ends = await Promise.allSettled(requests.map((id) => board.startJob(id, payment, call())));
  expect(codes(ends).filter((code) => code === 'done')).toHaveLength(1);
  expect(await books()).toEqual({ buyer: -10_000_000n, provider: 0n, treasury: 0n });
  const replayed = board.startJob(await post('escrow'), payment, call());
  await expect(replayed).rejects.toMatchObject({ code: 'PAYMENT_REPLAYED' });
});

test('one payment brought to several releases at once releases one of them', async () => {
  await begin();
  const { board } = running;
  const jobs = [];
  for (let made = 0; made < 3; made += 1) {
    const begun = jobOf(await board.startJob(await post('on_release'), undefined, call()));
    jobs.push((await fulfil(begun.job_id)).job_id);
  }
  const offer = askedFor(await board.complete(jobs[0] ?? '', {}, call()));
  const payment = await buyer.payer.pay(offer, { now: clock.now() });
  const brought = [...jobs, ...jobs, ...jobs];
  const ends = await Promise.allSettled(
    brought.map((id) => board.complete(id, { payment }, call())),
  );
  expect(codes(ends).filter((code) => code === 'done')).toHaveLength(1);
  expect(await books()).toEqual({
    buyer: -10_000_000n,
    provider: 8_000_000n,
    treasury: 2_000_000n,
  });
  const states = await Promise.all(jobs.map(async (id) => (await board.readJob(id)).state));
  expect(states.sort()).toEqual(['fulfilled.waiting', 'fulfilled.waiting', 'released']);
});

test('of odd micro-dollars above the least price the fee is rounded down, and nothing is lost', async () => {
  await begin();
  const { board } = running;
  let [net, fee] = [0n, 0n];
  for (let price = 10_001n; price <= 10_011n; price += 1n) {
    const requestId = await post('escrow', String(price));
    const begun = jobOf(await board.startJob(requestId, await pay(requestId), call()));
    const moveSignature = await signMove(buyer, await fulfil(begun.job_id), 'release');
    const { payout } = jobOf(await board.complete(begun.job_id, { moveSignature }, call()));
    expect(payout?.fee.micro_usd).toBe(String(price / 5n));
    [net, fee] = [net + price - price / 5n, fee + price / 5n];
  }
  expect(await books()).toEqual({ buyer: -110_066n, provider: net, treasury: fee });
});
