import { expect, test } from 'vitest';
import type { PaidAnswer } from '../../../src/actors/payments/paid-call.ts';
import { sweepPayments } from '../../../src/actors/payments/sweep.ts';
import type { PaymentPayload } from '../../../src/domain/payment.ts';
import { createPayer } from '../../support/payer.ts';
import {
  gist,
  inlineCall,
  jobCall,
  type PaymentWorld,
  type Process,
  paymentWorld,
  textResult,
} from '../../support/payment-world.ts';

const HOUR = 3_600_000;

async function states({ engine }: Process): Promise<string[]> {
  const { rows } = await engine.list({ kind: 'payment' });
  return rows.map(({ state }) => state);
}

function paidAnswer(answer: PaidAnswer) {
  if (answer.kind !== 'answered') throw new Error(`refused: ${JSON.stringify(answer.fault)}`);
  return answer;
}

async function begin(dollars?: string): Promise<PaymentWorld & Process> {
  const world = await paymentWorld(dollars);
  return { ...world, ...(await world.start()) };
}

// By authorization.

test('work runs first, and the money moves for a stored result', async () => {
  const world = await begin();
  const call = inlineCall(world, await world.sign());
  const seen: bigint[] = [];
  const answer = await world.drive(
    world.payments.pay({
      ...call,
      run: async (paid) => {
        seen.push(world.books().paid);
        return call.run(paid);
      },
    }),
  );
  expect(gist(answer)).toBe('ran 1');
  expect(seen).toEqual([0n]);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 0n });
  const { settlement } = paidAnswer(answer);
  expect(settlement).toMatchObject({
    success: true,
    transaction: world.chain.ledger.movements[0]?.transaction,
    network: 'eip155:31337',
    payer: world.payer.address,
    amount: '2000000',
    extra: { feeBps: 2000 },
    extensions: { 'offer-receipt': { info: { receipt: { format: 'eip712' } } } },
  });
  expect(await states(world)).toEqual(['closed']);
});

test('work that fails is answered and costs nothing, also when asked again', async () => {
  const world = await begin();
  const call = inlineCall(world, await world.sign(), {
    run: async () => textResult('no way out', true),
  });
  for (const turn of [1, 2]) {
    const answer = await world.drive(world.payments.pay(call));
    expect([turn, gist(answer), paidAnswer(answer).settlement]).toEqual([
      turn,
      'no way out',
      undefined,
    ]);
  }
  expect(world.books()).toEqual({ paid: 0n, refunded: 0n });
  expect(await states(world)).toEqual(['released']);
});

test('a result is withheld when the chain refuses to settle', async () => {
  const world = await begin();
  world.chain.dial.fates.push('refused');
  const call = inlineCall(world, await world.sign());
  const answer = await world.drive(world.payments.pay(call));
  expect(answer).toMatchObject({
    kind: 'refused',
    fault: { code: 'SETTLEMENT_FAILED' },
    settlement: { success: false, errorReason: 'SETTLEMENT_FAILED', transaction: '' },
  });
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('SETTLEMENT_FAILED');
  expect(call.runs()).toBe(1);
  expect(world.books().paid).toBe(0n);
});

test('a payment lapses when the work outlasts its authorization', async () => {
  const world = await begin();
  let finish: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const call = inlineCall(world, await world.sign(), {
    run: async () => {
      await slow;
      return textResult('too late');
    },
  });
  const answering = world.payments.pay(call);
  await world.clock.advance(301_000);
  expect(await states(world)).toEqual(['released']);
  finish();
  expect(gist(await world.drive(answering))).toBe('PAYMENT_EXPIRED');
  expect(world.books().paid).toBe(0n);
});

test('a payer who drains the wallet during the work gets no result', async () => {
  const world = await begin('2000000');
  const other = await world.sign();
  const call = inlineCall(world, await world.sign(), {
    run: async () => {
      await world.chain.settle(other);
      return textResult('secret');
    },
  });
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_FUNDS');
});

// Up front.

test('money moves first and the job is created in the same commit', async () => {
  const world = await begin();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  const jobId = gist(answer);
  expect(jobId).toMatch(/^job_[0-9a-f]{40}$/);
  expect(paidAnswer(answer).settlement).toMatchObject({ success: true });
  const [payment] = (await world.engine.list({ kind: 'payment' })).rows;
  const job = await world.engine.view(jobId);
  expect(job.context).toEqual({ goal: 'decide', jobId, paymentId: payment?.id });
  await world.engine.tell(jobId, { type: 'FINISH' });
  await world.clock.advance(0);
  expect(await states(world)).toEqual(['closed']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 0n });
});

test('a job that fails is refunded, and the answer carries the refund', async () => {
  const world = await begin();
  const call = jobCall(world, await world.sign(), {
    run: async ({ jobId = '' }) => {
      await world.engine.tell(jobId, { type: 'FAIL' }).catch(() => undefined);
      await world.clock.advance(0);
      return textResult('failed', true);
    },
  });
  const answer = await world.drive(world.payments.pay(call));
  expect(paidAnswer(answer).settlement?.extra).toEqual({
    feeBps: 2000,
    refund: {
      state: 'refunded',
      amount: '2.00',
      currency: 'USD',
      micro_usd: '2000000',
      reason: 'the errand failed',
      transaction: world.chain.ledger.movements[1]?.transaction,
    },
  });
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('a cancelled job gives back its part', async () => {
  const world = await begin();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.engine.tell(gist(answer), { type: 'CANCEL' });
  await world.clock.advance(0);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 1_500_000n });
  expect(await states(world)).toEqual(['refunded']);
});

test('inline work that fails after payment is refunded', async () => {
  const world = await begin();
  const call = inlineCall(world, await world.sign(), {
    flow: 'upfront',
    run: async () => textResult('broken', true),
  });
  const answer = paidAnswer(await world.drive(world.payments.pay(call)));
  expect([gist(answer), answer.settlement?.extra?.['refund']]).toMatchObject([
    'broken',
    { state: 'refunded', micro_usd: '2000000' },
  ]);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('an order that cannot be prepared charges nothing and leaves no row', async () => {
  const world = await begin();
  const call = jobCall(world, await world.sign(), {
    order: async () => {
      throw new RangeError('no seats');
    },
  });
  await expect(world.drive(world.payments.pay(call))).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await states(world)).toEqual([]);
  expect(world.books().paid).toBe(0n);
});

test('a refund that the chain refuses stays due, is told, and is tried again', async () => {
  const world = await begin();
  const notices: unknown[] = [];
  world.engine.feed(0, ({ emits }) => {
    notices.push(...emits.filter(({ type }) => type === 'operator.notice'));
  });
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  world.chain.dial.fates.push('refused');
  await world.engine.tell(gist(answer), { type: 'FAIL' });
  await world.clock.advance(0);
  expect(await states(world)).toEqual(['refund_due']);
  expect(notices).toHaveLength(1);
  await world.clock.advance(HOUR);
  expect(await states(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('a refund whose answer was lost is not paid again', async () => {
  const world = await begin();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  world.chain.dial.fates.push('late');
  await world.engine.tell(gist(answer), { type: 'FAIL' });
  await world.clock.advance(2 * HOUR);
  expect(await states(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('work that is never finished is refunded when its time is over', async () => {
  const world = await begin();
  await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.clock.advance(8 * 24 * HOUR);
  expect(await states(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

// One key runs once.

test('three parallel presentations run the work once and get the same answer', async () => {
  const world = await begin();
  const call = inlineCall(world, await world.sign());
  const answers = await world.drive(Promise.all([1, 2, 3].map(() => world.payments.pay(call))));
  expect(call.runs()).toBe(1);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(world.books().paid).toBe(2_000_000n);
});

test('the same payment again gets the stored answer, also after its time is over', async () => {
  const world = await begin();
  const call = inlineCall(world, await world.sign());
  const first = await world.drive(world.payments.pay(call));
  await world.clock.advance(HOUR);
  expect(await world.drive(world.payments.pay(call))).toEqual(first);
  expect(call.runs()).toBe(1);
});

test('another spelling of the same payment is the same payment', async () => {
  const world = await begin();
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
  const world = await begin();
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
  const world = await begin();
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
  const world = await begin();
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
  const world = await begin();
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
  expect(await states(world)).toEqual([]);
});

test('what only the chain knows is refused there, without a row that stays', async () => {
  const world = await begin('1000000');
  const poor = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(poor)))).toBe('PAYMENT_FUNDS');
  expect(await states(world)).toEqual([]);
  await world.chain.faucet(world.payer.address, '1000000');
  expect(gist(await world.drive(world.payments.pay(poor)))).toBe('ran 1');

  const spent = await begin();
  const payload = await spent.sign();
  await spent.chain.settle(payload);
  const replay = inlineCall(spent, payload);
  expect(gist(await spent.drive(spent.payments.pay(replay)))).toBe('PAYMENT_REPLAYED');
  expect(replay.runs()).toBe(0);
});

test('the header carrier reads base64 and refuses what is none', async () => {
  const world = await begin();
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
  const world = await begin();
  world.chain.dial.isDown = true;
  const call = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('CHAIN_UNAVAILABLE');
  expect(call.runs()).toBe(0);
  world.chain.dial.isDown = false;
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('ran 1');
});

test.each(['late', 'lost'] as const)(
  'a broadcast that is %s is pending, is never asked for again, and is found out',
  async (fate) => {
    for (const make of [inlineCall, jobCall]) {
      const world = await begin();
      world.chain.dial.fates.push(fate);
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
  const world = await begin();
  const call = inlineCall(world, await world.sign(), {
    run: async () => {
      world.chain.dial.isDown = true;
      return textResult('held back');
    },
  });
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_PENDING');
  await world.clock.advance(HOUR);
  expect(await states(world)).toEqual(['unknown.waiting']);
  world.chain.dial.isDown = false;
  await world.clock.advance(HOUR);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_EXPIRED');
  expect(await states(world)).toEqual(['failed']);
  expect(world.books().paid).toBe(0n);
});

test('a sweep removes refused and old payments, and keeps the others', async () => {
  const world = await begin();
  await world.drive(world.payments.pay(inlineCall(world, await world.sign())));
  await world.clock.advance(HOUR);
  await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.drive(world.payments.pay(inlineCall(world, await world.sign())));
  expect((await states(world)).sort()).toEqual(['closed', 'closed', 'settled']);
  expect(await sweepPayments(world.engine, world.clock.now() - 1_000)).toBe(1);
  expect((await states(world)).sort()).toEqual(['closed', 'settled']);
});
