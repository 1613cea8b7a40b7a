import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { type Payer, requirementsOf } from '../payer.ts';
import { type MoneyRun, type Outcome, tellEnd, transactionOf } from './money-run.ts';
import { BLOCK_MS, JOB, PRICE } from './money-world.ts';

/** Seconds of a time that no run comes to. */
export const FAR = '4000000000';
/** What a buyer of ten dollars has after one call. */
const PAID = '9750000';
const SECOND_MS = 1_000;

/** A payment by somebody who has the money. */
export async function playSettlement(run: MoneyRun): Promise<void> {
  const { buyer } = run.world;
  const payload = await sign(run, buyer, FAR);
  if (await settle(run, payload)) await run.expectHolds(buyer.address, PAID);
}

/** The money comes after the payment: until then nodes refuse it, which ends nothing. */
export async function playLateMoney(run: MoneyRun): Promise<void> {
  const { broke } = run.world;
  const payload = await sign(run, broke, FAR);
  run.strangers.give(broke.address, JOB);
  if (await settle(run, payload)) await run.expectHolds(broke.address, PAID);
}

/** Somebody else brings the authorization, as anybody can. */
export async function playBrought(run: MoneyRun): Promise<void> {
  const { buyer } = run.world;
  const payload = await sign(run, buyer, FAR);
  run.strangers.bring(payload.payload);
  if (await settle(run, payload)) await run.expectHolds(buyer.address, PAID);
}

/** An authorization that runs out within some blocks: in time or not, never both. */
export async function playRunningOut(run: MoneyRun): Promise<void> {
  const { buyer } = run.world;
  const payload = await sign(run, buyer, inBlocks(run, 1 + run.random() * 8));
  if (run.random() < 0.3) run.strangers.bring(payload.payload);
  const outcome = await run.play((life) => settleOnce(run, life, payload));
  const isSettled = outcome.state === 'settled';
  run.expect(isSettled || outcome.state === 'failed', `ran out: ${JSON.stringify(outcome)}`);
  if (isSettled) tellSettled(run, outcome);
  await run.expectHolds(buyer.address, isSettled ? PAID : JOB);
}

/** Two payments by somebody who has the money for one of them. */
export async function playTwoAtOnce(run: MoneyRun): Promise<void> {
  const { poor, time, truth } = run.world;
  const offer = requirementsOf(truth.facts);
  const until = inBlocks(run, 12);
  const payloads = [await sign(run, poor, until), await sign(run, poor, until)];
  const served = await run.ask(async (life) => {
    const checks = payloads.map(async (payload) => {
      const isOffered = life.checkLocally(payload, offer, time.now()) === undefined;
      return isOffered && (await life.checkOnChain(payload)) === undefined;
    });
    return (await Promise.all(checks)).filter(Boolean).length;
  });
  run.expect(served <= 1, 'two payments were served with the money for one');
  const ends: Outcome[] = [];
  await run.play(async (life) => {
    const outcomes = await Promise.all(payloads.map((each) => settleOnce(run, life, each)));
    ends.splice(0, ends.length, ...outcomes);
    return outcomes.find(({ state }) => state === 'unknown' || state === 'unspent') ?? ENDED;
  });
  const settled = ends.filter(({ state }) => state === 'settled');
  const failed = ends.filter(({ state }) => state === 'failed');
  run.expect(settled.length + failed.length === 2, `two at once: ${JSON.stringify(ends)}`);
  for (const each of settled) tellSettled(run, each);
  await run.expectHolds(poor.address, `${Number(PRICE) * (1 - settled.length)}`);
}

const ENDED = { state: 'done', transaction: '', block: 0, result: null } as const;

/** A payment that is given back. */
export async function playRefund(run: MoneyRun): Promise<void> {
  const { buyer } = run.world;
  const settlement = await settle(run, await sign(run, buyer, FAR));
  if (settlement === undefined) return;
  const order = { to: buyer.address, amount: PRICE, token: `${buyer.address}:refund` };
  const outcome = await run.play((life) => life.transfer(order));
  if (!run.expectState('refund', outcome, 'settled')) return;
  const because = { reason: 'failed', settlement_transaction: settlement };
  tellEnd(run, 'settlement.refunded', outcome, { amount: PRICE, ...because });
  await run.expectHolds(buyer.address, JOB);
}

function sign({ world }: MoneyRun, payer: Payer, validBefore: string): Promise<PaymentPayload> {
  const overrides = { now: world.time.now(), authorization: { validBefore } };
  return payer.pay(requirementsOf(world.truth.facts), overrides);
}

function inBlocks({ world }: MoneyRun, blocks: number): string {
  return `${Math.floor((world.time.now() + blocks * BLOCK_MS) / SECOND_MS)}`;
}

/** @returns Its transaction, or nothing where it went wrong. */
async function settle(run: MoneyRun, payload: PaymentPayload): Promise<string | undefined> {
  const outcome = await run.play((life) => settleOnce(run, life, payload));
  if (!run.expectState('settle', outcome, 'settled')) return undefined;
  tellSettled(run, outcome);
  return transactionOf(outcome);
}

/** Some look for a payment first, as a server does when it has begun anew. */
async function settleOnce(
  run: MoneyRun,
  life: NodePaymentChain,
  payload: PaymentPayload,
): Promise<Outcome> {
  if (run.random() < 0.5) return life.settle(payload);
  const found = await life.queryOutcome(payload);
  return found.state === 'unspent' ? life.settle(payload) : found;
}

function tellSettled(run: MoneyRun, outcome: Outcome): void {
  tellEnd(run, 'settlement.settled', outcome, { price: PRICE, fee_bps: 2000, fee: '50000' });
}
