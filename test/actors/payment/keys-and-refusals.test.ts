import { expect, test } from 'vitest';
import { sweepPayments } from '../../../src/actors/payment/sweep.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { createPayer } from '../../support/payer.ts';
import {
  beginWorld,
  gist,
  inlineCall,
  jobCall,
  paidAnswer,
  paymentStates,
  textResult,
} from '../../support/payment-world.ts';

const HOUR = 3_600_000;

// One key runs once.

test('three parallel presentations run the work once and get the same answer', async () => {
  const world = await beginWorld();
  const call = inlineCall(world, await world.sign());
  const answers = await world.drive(Promise.all([1, 2, 3].map(() => world.payments.pay(call))));
  expect(call.runs()).toBe(1);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(world.books().paid).toBe(2_000_000n);
});

test('the same payment again gets the stored answer, also after its time is over', async () => {
  const world = await beginWorld();
  const info = { required: false, id: 'pay_0123456789abcdef' };
  const extensions = { 'payment-identifier': { info } };
  const call = inlineCall(world, { ...(await world.sign()), extensions });
  const first = await world.drive(world.payments.pay(call));
  await world.clock.advance(HOUR);
  expect(await world.drive(world.payments.pay(call))).toEqual(first);
  expect(call.runs()).toBe(1);
});

test('a contract pays with a signature as long as a key’s, and a forged one is still forged', async () => {
  const world = await beginWorld();
  const owner = createPayer();
  const wallet = `0x${'c0'.repeat(20)}`;
  const { wallets } = world.chain.ledger.contracts;
  world.chain.ledger.mint(wallet, 2_000_000n);
  const own = await world.sign();
  const by = { now: world.clock.now(), authorization: { from: wallet } };
  const payment = await owner.pay(own.accepted, by);
  const call = inlineCall(world, payment);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_FORGED');
  expect(call.runs()).toBe(0);
  wallets.set(wallet, (digest, signature) => {
    return recoverSigner(digest, signature) === owner.address.toLowerCase();
  });
  const paid = await world.drive(world.payments.pay(call));
  expect(gist(paid)).toBe('ran 1');
  // Whoever copies the terms under another signature learns nothing of it.
  const forged = { ...payment, payload: { ...payment.payload, signature: own.payload.signature } };
  expect(gist(await world.drive(world.payments.pay(inlineCall(world, forged))))).toBe(
    'PAYMENT_FORGED',
  );
});

test('another spelling of the same payment is the same payment', async () => {
  const world = await beginWorld();
  const payload = await world.sign();
  const shouted = JSON.parse(
    JSON.stringify(payload).replace(payload.payload.authorization.nonce, (nonce) =>
      nonce.toUpperCase().replace('0X', '0x'),
    ),
  ) as PaymentPayload;
  const call = inlineCall(world, payload);
  const first = await world.drive(world.payments.pay(call));
  const again = { ...call, payments: [{ carrier: 'meta', value: shouted } as const] };
  expect(await world.drive(world.payments.pay(again))).toEqual(first);
  expect(world.books().paid).toBe(2_000_000n);
});

test('the same payment for another call is a conflict, before and after it settles', async () => {
  const world = await beginWorld();
  const payload = await world.sign();
  const call = inlineCall(world, payload);
  const others = [
    inlineCall(world, payload, { args: { urls: [] } }),
    inlineCall(world, payload, { tool: 'agent_trust-badge' }),
    inlineCall(world, payload, { flow: 'upfront' }),
    inlineCall(world, payload, { offer: { ...world.offer, amount: '10000' } }),
  ];
  const [first, ...during] = await world.drive(
    Promise.all([call, ...others].map((each) => world.payments.pay(each))),
  );
  expect(first && gist(first)).toBe('ran 1');
  expect(during.map(gist)).toEqual(others.map(() => 'PAYMENT_CONFLICT'));
  for (const other of others) {
    expect(gist(await world.drive(world.payments.pay(other)))).toBe('PAYMENT_CONFLICT');
    expect(other.runs()).toBe(0);
  }
  expect(world.books().paid).toBe(2_000_000n);
});

test('a forged copy of a settled payment learns nothing', async () => {
  const world = await beginWorld();
  const payload = await world.sign();
  const call = inlineCall(world, payload);
  await world.drive(world.payments.pay(call));
  const thief = createPayer();
  const { payload: stolen } = await thief.pay(world.offer, { now: world.clock.now() });
  const forged = { ...payload, payload: { ...payload.payload, signature: stolen.signature } };
  const again = { ...call, payments: [{ carrier: 'meta', value: forged } as const] };
  expect(gist(await world.drive(world.payments.pay(again)))).toBe('PAYMENT_FORGED');
});

// Different keys.

test('twenty different payments in parallel all settle', async () => {
  const world = await beginWorld();
  const calls = await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      (at % 2 ? inlineCall : jobCall)(world, await world.sign()),
    ),
  );
  const answers = await world.drive(Promise.all(calls.map((call) => world.payments.pay(call))));
  expect(answers.map((answer) => paidAnswer(answer).settlement?.success)).toEqual(
    Array.from({ length: 20 }, () => true),
  );
  expect(world.books().paid).toBe(40_000_000n);
});

// Refused payments.

test('refused payments are named by what is wrong, ask no chain, charge nothing and leave no row', async () => {
  const world = await beginWorld();
  const { clock, payer, offer } = world;
  const now = clock.now();
  const thief = createPayer();
  const honest = await world.sign();
  const { payload: stolen } = await thief.pay(offer, { now });
  const calls: Record<string, unknown> = {
    PAYMENT_MALFORMED: { x402Version: 1 },
    PAYMENT_UNDERPAID: await payer.pay({ ...offer, amount: '1' }, { now }),
    PAYMENT_WRONG_NETWORK: await payer.pay({ ...offer, network: 'eip155:1' }, { now }),
    PAYMENT_WRONG_ASSET: await payer.pay({ ...offer, payTo: thief.address }, { now }),
    PAYMENT_EXPIRED: await payer.pay(offer, { now: now - HOUR }),
    PAYMENT_FORGED: {
      ...honest,
      payload: { ...honest.payload, signature: stolen.signature },
    },
  };
  for (const [code, value] of Object.entries(calls)) {
    const call = inlineCall(world, honest, { payments: [{ carrier: 'meta', value }] });
    expect(gist(await world.drive(world.payments.pay(call)))).toBe(code);
    expect(call.runs()).toBe(0);
  }
  const twice = inlineCall(world, honest, {
    payments: [
      { carrier: 'meta', value: honest },
      { carrier: 'header', value: Buffer.from(JSON.stringify(honest)).toString('base64') },
    ],
  });
  expect(gist(await world.drive(world.payments.pay(twice)))).toBe('PAYMENT_DUPLICATED');
  expect(world.chain.rpcCalls()).toBe(0);
  expect(await paymentStates(world)).toEqual([]);
});

test('what only the chain knows is refused there, without a row that stays', async () => {
  const world = await beginWorld('1000000');
  const poor = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(poor)))).toBe('PAYMENT_FUNDS');
  expect(await paymentStates(world)).toEqual([]);
  await world.chain.faucet(world.payer.address, '1000000');
  expect(gist(await world.drive(world.payments.pay(poor)))).toBe('ran 1');

  const spent = await beginWorld();
  const payload = await spent.sign();
  await spent.chain.settle(payload);
  const replay = inlineCall(spent, payload);
  expect(gist(await spent.drive(spent.payments.pay(replay)))).toBe('PAYMENT_REPLAYED');
  expect(replay.runs()).toBe(0);
});

test('the header carrier reads base64 and refuses what is none', async () => {
  const world = await beginWorld();
  const payload = await world.sign();
  const header = (value: string) =>
    inlineCall(world, payload, { payments: [{ carrier: 'header', value }] });
  expect(gist(await world.drive(world.payments.pay(header('%%%'))))).toBe('PAYMENT_MALFORMED');
  const long = 'A'.repeat(20_000);
  expect(gist(await world.drive(world.payments.pay(header(long))))).toBe('PAYMENT_MALFORMED');
  const good = Buffer.from(JSON.stringify(payload)).toString('base64');
  expect(gist(await world.drive(world.payments.pay(header(good))))).toBe('ran 1');
});

// When the chain is silent.

test('nothing is taken while the chain cannot check', async () => {
  const world = await beginWorld();
  world.chain.faults.isDown = true;
  const call = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('CHAIN_UNAVAILABLE');
  expect(call.runs()).toBe(0);
  world.chain.faults.isDown = false;
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('ran 1');
});

test.each(['late', 'lost'] as const)(
  'a broadcast that is %s is pending, is never asked for again, and is found out',
  async (fate) => {
    for (const make of [inlineCall, jobCall]) {
      const world = await beginWorld();
      world.chain.faults.fates.push(fate);
      const call = make(world, await world.sign());
      const pending = await world.drive(world.payments.pay(call));
      expect(pending).toMatchObject({
        kind: 'refused',
        fault: { code: 'PAYMENT_PENDING' },
        settlement: { success: false, errorReason: 'PAYMENT_PENDING' },
      });
      await world.clock.advance(60_000);
      const answer = paidAnswer(await world.drive(world.payments.pay(call)));
      expect(answer.settlement?.success).toBe(true);
      expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 0n });
    }
  },
);

test('an authorization that was never spent ends as failed, charged nothing', async () => {
  const world = await beginWorld();
  const call = inlineCall(world, await world.sign(), {
    run: async () => {
      world.chain.faults.isDown = true;
      return textResult('held back');
    },
  });
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_PENDING');
  await world.clock.advance(HOUR);
  expect(await paymentStates(world)).toEqual(['unknown.waiting']);
  world.chain.faults.isDown = false;
  await world.clock.advance(HOUR);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_EXPIRED');
  expect(await paymentStates(world)).toEqual(['failed']);
  expect(world.books().paid).toBe(0n);
});

test('a sweep removes refused and old payments, and keeps the others', async () => {
  const world = await beginWorld();
  await world.drive(world.payments.pay(inlineCall(world, await world.sign())));
  await world.clock.advance(HOUR);
  await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.drive(world.payments.pay(inlineCall(world, await world.sign())));
  expect((await paymentStates(world)).sort()).toEqual(['closed', 'closed', 'settled']);
  expect(await sweepPayments(world.engine, { before: world.clock.now() - 1_000 })).toBe(1);
  expect((await paymentStates(world)).sort()).toEqual(['closed', 'settled']);
});
