import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentRequirements } from '../../../src/domain/payment/payment.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { expectAudited } from '../../support/books.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { type ToldBooks, toldBooks } from '../../support/told-books.ts';
import {
  askedFor,
  jobOf,
  lifeOver,
  signMove,
  tenDollars,
  type WorkProcess,
  workParty,
} from '../../support/work-world.ts';

const HOUR = 3_600_000;
const PRICE = 10_000_000n;
/** Steps at which the process dies, and how often the story is told again: a sample. */
const DEATHS = [4, 7, 9, 11, 13, 16] as const;
const bytes = new TextEncoder().encode('done');
const sha = createHash('sha256').update(bytes).digest('hex');
const work = { deliverable: bytes, mimeType: 'text/plain' };

const folder = tempDir();
const clock = new SimulatedClock(Date.now());
let chain: NodePaymentChain;
let told: ToldBooks;

beforeAll(async () => {
  const now = () => clock.now();
  const notice = () => undefined;
  chain = await openPaymentChain({ kind: 'local', dataDir: folder.path, now, notice });
  told = await toldBooks();
});
afterAll(async () => {
  await told.close();
  await chain.close();
  folder.remove();
});

/** A buyer with twenty dollars and a provider on the node, and a story of theirs. */
async function scene(funding: 'escrow' | 'on_release') {
  const [buyer, provider] = [workParty(), workParty()];
  await chain.faucet(buyer.wallet.address, '20000000');
  const treasury = BigInt(await chain.balance(chain.facts.treasury));
  const life = lifeOver(chain, clock);
  const paid = new Map<string, Awaited<ReturnType<typeof buyer.payer.pay>>>();
  const pay = async (offer: PaymentRequirements) => {
    const made = paid.get(offer.payTo) ?? (await buyer.payer.pay(offer, { now: clock.now() }));
    paid.set(offer.payTo, made);
    return made;
  };
  const fulfilled = async ({ board }: WorkProcess): Promise<string> => {
    const order = tenDollars(funding, { provider: provider.wallet.address });
    const { request_id } = await board.postRequest(order, buyer.call('post'));
    const first = await board.startJob(request_id, undefined, buyer.call('begin'));
    const begun =
      first.kind === 'job'
        ? first
        : await board.startJob(request_id, await pay(askedFor(first)), buyer.call('begin'));
    const { job_id } = jobOf(begun);
    const job = await board.readJob(job_id);
    if (job.moves.some(({ move }) => move === 'fulfil')) {
      const isEscrow = funding === 'escrow';
      const signature = isEscrow ? await signMove(provider, job, 'fulfil', sha) : undefined;
      await board.fulfil(job_id, work, signature, provider.call('fulfil'));
    }
    return job_id;
  };
  const released = async (process: WorkProcess): Promise<string> => {
    const job_id = await fulfilled(process);
    const { board } = process;
    const job = await board.readJob(job_id);
    const by = buyer.call('complete');
    if (job.moves.some(({ move }) => move === 'release') && funding === 'escrow') {
      const moveSignature = await signMove(buyer, job, 'release');
      await board.complete(job_id, { moveSignature }, by);
    } else if (job.state.startsWith('fulfilled')) {
      const asked = await board.complete(job_id, {}, by);
      if (asked.kind === 'payment_required') {
        await board.complete(job_id, { payment: await pay(askedFor(asked)) }, by);
      }
    }
    return job_id;
  };
  const books = async () => ({
    buyer: BigInt(await chain.balance(buyer.wallet.address)) - 2n * PRICE,
    provider: BigInt(await chain.balance(provider.wallet.address)),
    treasury: BigInt(await chain.balance(chain.facts.treasury)) - treasury,
    escrow: BigInt((await chain.trust.escrow.readHoldings()).held),
  });
  return { ...life, fulfilled, released, books };
}

/** What every process so far has told of its money stands on the chain, and nothing else does. */
async function audited(process: WorkProcess, hint = ''): Promise<void> {
  await told.take(process);
  const { escrow } = chain.trust.contracts;
  const where = { rpcUrl: chain.historyUrl ?? '', eventsUrl: told.feed.url, escrow };
  await expectAudited(where, { hint, waitMs: 0 });
}

const SETTLED = { buyer: -PRICE, provider: 8_000_000n, treasury: 2_000_000n, escrow: 0n };

test('on a real node an escrowed job is released, and one by time alone', async () => {
  const heard = await scene('escrow');
  const process = await heard.start();
  const jobId = await heard.released(process);
  expect((await process.board.readJob(jobId)).state).toBe('released');
  expect(await heard.books()).toEqual(SETTLED);
  await audited(process);
  await process.stop();

  const silent = await scene('escrow');
  const other = await silent.start();
  const id = await silent.fulfilled(other);
  await nodeRpc(chain.facts.rpcUrl, 'evm_increaseTime', (73 * HOUR) / 1_000);
  await nodeRpc(chain.facts.rpcUrl, 'evm_mine');
  await clock.advance(73 * HOUR);
  await expect
    .poll(async () => (await other.board.readJob(id)).state, { timeout: 20_000 })
    .toBe('released');
  expect((await other.board.readJob(id)).payout?.is_automatic).toBe(true);
  expect(await silent.books()).toEqual(SETTLED);
  await audited(other);
  await other.stop();
});

test.each(['escrow', 'on_release'] as const)(
  'on a real node the books of an %s job balance after a death at sampled steps',
  { timeout: 60_000 },
  async (funding) => {
    for (const at of DEATHS) {
      const mortal = await scene(funding);
      const first = await mortal.start({ at, when: at % 2 === 0 ? 'after' : 'before' });
      await Promise.race([mortal.released(first), first.life.over]);
      first.life.die();
      await clock.advance(1_000);
      const second = await mortal.start();
      // A move that the first life left under way is awaited before the next one is asked for.
      const goOn = async () => (await second.board.readJob(await mortal.released(second))).state;
      await expect.poll(goOn, { timeout: 10_000 }).toBe('released');
      expect([await mortal.books(), at]).toEqual([SETTLED, at]);
      await audited(second, `${funding}, died at step ${at}`);
      await second.stop();
    }
  },
);
