import { expect, test } from 'vitest';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import { createPayer } from '../../support/payer.ts';
import {
  beginWorld,
  gist,
  inlineCall,
  jobCall,
  type PaymentWorld,
  type Process,
  paymentStates,
} from '../../support/payment-world.ts';

const ID = 'order_0123456789abcdef';
const PRICE = 2_000_000n;
type World = PaymentWorld & Process;

const OTHERS: readonly [string, (world: World, first: PaymentPayload) => Promise<Made>][] = [
  ['another nonce', async (world) => ({ payload: named(await world.sign()) })],
  [
    'other arguments',
    async (_, first) => ({ payload: first, args: { urls: ['https://other.org/'] } }),
  ],
  ['another tool', async (_, first) => ({ payload: first, tool: 'ops_other' })],
  ['another nonce and tool', async (world) => ({ payload: named(await world.sign()), tool: 'b' })],
  ['another value', async (_, first) => ({ payload: changed(first, { value: '1999999' }) })],
  ['another end', async (_, first) => ({ payload: changed(first, { validBefore: '9999999999' }) })],
  [
    'another nonce, same signature',
    async (_, first) => ({ payload: changed(first, { nonce: `0x${'ab'.repeat(32)}` }) }),
  ],
  ['another signature', async (_, first) => ({ payload: resigned(first, `0x${'11'.repeat(65)}`) })],
];

interface Made {
  readonly payload: PaymentPayload;
  readonly tool?: string;
  readonly args?: unknown;
}

test.each(OTHERS)(
  'one identifier with %s is a conflict, and nothing is charged',
  async (_, make) => {
    for (const begin of [inlineCall, jobCall]) {
      for (const carrier of ['meta', 'header'] as const) {
        const world = await beginWorld();
        const signed = named(await world.sign());
        const call = begin(world, signed);
        const first = await world.drive(world.payments.pay(call));
        const { payload, ...more } = await make(world, signed);
        const other = begin(world, payload, { ...more, payments: [carried(payload, carrier)] });
        const refused = await world.drive(world.payments.pay(other));
        expect(gist(refused)).toBe('PAYMENT_CONFLICT');
        expect(refused.settlement).toBeUndefined();
        expect(other.runs()).toBe(0);
        expect(world.books().paid).toBe(PRICE);
        expect(await world.drive(world.payments.pay(call))).toEqual(first);
      }
    }
  },
);

test('of payments that come at once with one identifier, one is charged', async () => {
  const world = await beginWorld();
  const payloads = await Promise.all(Array.from({ length: 8 }, () => world.sign()));
  const calls = payloads.map((payload) => inlineCall(world, named(payload)));
  const answers = await world.drive(Promise.all(calls.map((call) => world.payments.pay(call))));
  const gists = answers.map(gist).toSorted();
  expect(gists).toEqual([...Array.from({ length: 7 }, () => 'PAYMENT_CONFLICT'), 'ran 1']);
  expect(world.books().paid).toBe(PRICE);
});

test('an identifier holds over a restart', async () => {
  const world = await beginWorld();
  await world.drive(world.payments.pay(inlineCall(world, named(await world.sign()))));
  const next = await world.start();
  const other = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(next.payments.pay(other)))).toBe('PAYMENT_CONFLICT');
  expect(world.books().paid).toBe(PRICE);
});

test.each(['at once', 'later'])(
  'an identifier that joins its payment %s holds as well',
  async (when) => {
    for (const begin of [inlineCall, jobCall]) {
      const world = await beginWorld();
      const bare = await world.sign();
      const calls = [begin(world, bare), begin(world, named(bare))];
      const pay = (each: (typeof calls)[number]) => world.payments.pay(each);
      if (when === 'at once') await world.drive(Promise.all(calls.map(pay)));
      else for (const each of calls) await world.drive(pay(each));
      const other = begin(world, named(await world.sign()));
      expect(gist(await world.drive(world.payments.pay(other)))).toBe('PAYMENT_CONFLICT');
      expect(other.runs()).toBe(0);
      expect(world.books().paid).toBe(PRICE);
    }
  },
);

test('an identifier belongs to its payer: a stranger neither takes nor blocks it', async () => {
  const world = await beginWorld();
  const stranger = createPayer();
  await world.chain.faucet(stranger.address, '50000000');
  const theirs = named(await stranger.pay(world.offer, { now: world.clock.now() }));
  expect(gist(await world.drive(world.payments.pay(inlineCall(world, theirs))))).toBe('ran 1');
  const forged = changed(named(await world.sign()), { value: '1' });
  expect(gist(await world.drive(world.payments.pay(inlineCall(world, forged))))).not.toBe('ran 1');
  const own = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(world.payments.pay(own)))).toBe('ran 1');
});

test('a payment that was refused sets its identifier free', async () => {
  const world = await beginWorld('0');
  const poor = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(world.payments.pay(poor)))).toBe('PAYMENT_FUNDS');
  await world.chain.faucet(world.payer.address, '2000000');
  const again = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(world.payments.pay(again)))).toBe('ran 1');
  expect(await paymentStates(world)).toEqual(['closed']);
});

test('a payment that the chain refused to settle sets its identifier free', async () => {
  const world = await beginWorld();
  world.chain.faults.fates.push('refused');
  const first = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(world.payments.pay(first)))).toBe('SETTLEMENT_FAILED');
  const again = inlineCall(world, named(await world.sign()));
  expect(gist(await world.drive(world.payments.pay(again)))).toBe('ran 1');
  expect(world.books().paid).toBe(PRICE);
});

test('without an identifier, changed terms under the old signature are forged', async () => {
  const world = await beginWorld();
  const signed = await world.sign();
  await world.drive(world.payments.pay(inlineCall(world, signed)));
  for (const terms of [{ value: '1999999' }, { validBefore: '9999999999' }, { validAfter: '1' }]) {
    const call = inlineCall(world, changed(signed, terms));
    const answer = await world.drive(world.payments.pay(call));
    expect(answer.kind).toBe('refused');
    expect(call.runs()).toBe(0);
  }
});

function named(payload: PaymentPayload): PaymentPayload {
  const info = { required: false, id: ID };
  return { ...payload, extensions: { 'payment-identifier': { info } } };
}

function changed(
  payload: PaymentPayload,
  terms: Partial<PaymentPayload['payload']['authorization']>,
): PaymentPayload {
  const authorization = { ...payload.payload.authorization, ...terms };
  return { ...payload, payload: { ...payload.payload, authorization } };
}

function resigned(payload: PaymentPayload, signature: string): PaymentPayload {
  return { ...payload, payload: { ...payload.payload, signature } };
}

function carried(payload: PaymentPayload, carrier: 'meta' | 'header') {
  if (carrier === 'meta') return { carrier, value: payload } as const;
  return { carrier, value: Buffer.from(JSON.stringify(payload)).toString('base64') } as const;
}
