import { expect, test } from 'vitest';
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

// By authorization.

test('work runs first, and the money moves for a stored result', async () => {
  const world = await beginWorld();
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
    transaction: world.chain.ledger.transfers[0]?.transaction,
    network: 'eip155:31337',
    payer: world.payer.address,
    amount: '2000000',
    extra: { feeBps: 2000 },
    extensions: { 'offer-receipt': { info: { receipt: { format: 'eip712' } } } },
  });
  expect(await paymentStates(world)).toEqual(['closed']);
});

test('work that fails is answered and costs nothing, also when asked again', async () => {
  const world = await beginWorld();
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
  expect(await paymentStates(world)).toEqual(['released']);
});

test('a result is withheld when the chain refuses to settle', async () => {
  const world = await beginWorld();
  world.chain.faults.fates.push('refused');
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
  const world = await beginWorld();
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
  expect(await paymentStates(world)).toEqual(['released']);
  finish();
  expect(gist(await world.drive(answering))).toBe('PAYMENT_EXPIRED');
  expect(world.books().paid).toBe(0n);
});

test('a payer who drains the wallet during the work gets the result for the money only', async () => {
  const world = await beginWorld('2000000');
  const call = await drained(world);
  // Somebody may still bring the authorization: it is not over, and the reason is told.
  const answer = await world.drive(world.payments.pay(call));
  expect(answer).toMatchObject({
    kind: 'refused',
    fault: { code: 'PAYMENT_PENDING', data: { reason: 'PAYMENT_FUNDS' } },
  });
  await world.chain.faucet(world.payer.address, '2000000');
  await world.clock.advance(60_000);
  expect(await paymentStates(world)).toEqual(['closed']);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('secret');
});

test('without money to the end of the authorization it failed, and nothing was charged', async () => {
  const world = await beginWorld('2000000');
  const call = await drained(world);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_PENDING');
  await world.clock.advance(15 * 60_000);
  expect(await paymentStates(world)).toEqual(['failed']);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_EXPIRED');
});

test('a settlement that is reverted is tried again while its authorization lives', async () => {
  const world = await beginWorld();
  world.chain.faults.fates.push('reverted', 'reverted');
  const call = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_PENDING');
  await world.clock.advance(60_000);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('ran 1');
  expect(world.books().paid).toBe(2_000_000n);
});

test('of payments that come at once, those that the balance covers are worked for', async () => {
  const world = await beginWorld('4000000');
  const payloads = await Promise.all(Array.from({ length: 12 }, () => world.sign()));
  const calls = payloads.map((payload) => inlineCall(world, payload));
  const answers = await world.drive(Promise.all(calls.map((call) => world.payments.pay(call))));
  const kinds = answers.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(2);
  expect(calls.filter((call) => call.runs() > 0)).toHaveLength(2);
  expect(world.books().paid).toBe(4_000_000n);
});

test('work that failed gives its money free for the next payment at once', async () => {
  const world = await beginWorld('2000000');
  const failing = inlineCall(world, await world.sign(), {
    run: async () => ({ ...textResult('no source answers'), isError: true }),
  });
  await world.drive(world.payments.pay(failing));
  const next = inlineCall(world, await world.sign());
  expect(gist(await world.drive(world.payments.pay(next)))).toBe('ran 1');
});

/** A call whose work lasts until its payer has spent the money elsewhere. */
async function drained(world: Awaited<ReturnType<typeof beginWorld>>) {
  const other = await world.sign();
  return inlineCall(world, await world.sign(), {
    run: async () => {
      await world.chain.settle(other);
      return textResult('secret');
    },
  });
}

// Up front.

test('money moves first and the job is created in the same commit', async () => {
  const world = await beginWorld();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  const jobId = gist(answer);
  expect(jobId).toMatch(/^job_[0-9a-f]{40}$/);
  expect(paidAnswer(answer).settlement).toMatchObject({ success: true });
  const [payment] = (await world.engine.list({ kind: 'payment' })).rows;
  const job = await world.engine.view(jobId);
  expect(job.context).toEqual({ goal: 'decide', jobId, paymentId: payment?.id });
  await world.engine.tell(jobId, { type: 'FINISH' });
  await world.clock.advance(0);
  expect(await paymentStates(world)).toEqual(['closed']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 0n });
});

test('a job that fails is refunded, and the answer carries the refund', async () => {
  const world = await beginWorld();
  const call = jobCall(world, await world.sign(), {
    run: async ({ jobId = '' }) => {
      await world.engine.tell(jobId, { type: 'FAIL' });
      return textResult('failed', true);
    },
  });
  const answer = await world.drive(world.payments.pay(call));
  expect(paidAnswer(answer).settlement?.extra).toEqual({
    feeBps: 2000,
    settlementRef: expect.stringMatching(/^set_[0-9a-f]{64}$/),
    refund: {
      state: 'refunded',
      amount: '2.00',
      currency: 'USD',
      micro_usd: '2000000',
      reason: 'the errand failed',
      transaction: world.chain.ledger.transfers[1]?.transaction,
    },
  });
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('a cancelled job gives back its part', async () => {
  const world = await beginWorld();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.engine.tell(gist(answer), { type: 'CANCEL' });
  await world.clock.advance(0);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 1_500_000n });
  expect(await paymentStates(world)).toEqual(['refunded']);
});

test('inline work that fails after payment is refunded', async () => {
  const world = await beginWorld();
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

test('a tool is asked for its job only once the job exists, and not for longer than ten seconds', async () => {
  const world = await beginWorld();
  const seen: string[] = [];
  const call = jobCall(world, await world.sign(), {
    run: async ({ jobId = '' }) => {
      seen.push((await world.engine.view(jobId)).kind);
      return textResult('there');
    },
  });
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('there');
  expect(seen).toEqual(['errand']);
  const lost = jobCall(world, await world.sign(), {
    order: async () => ({ kind: 'nobody', input: {} }),
    run: async () => {
      seen.push('lost');
      return textResult('never');
    },
  });
  const since = world.clock.now();
  await expect(world.drive(world.payments.pay(lost))).rejects.toMatchObject({
    code: 'JOB_UNKNOWN',
  });
  expect(world.clock.now() - since).toBeGreaterThanOrEqual(10_000);
  expect(seen).toEqual(['errand']);
});

test('an order that cannot be prepared charges nothing and leaves no row', async () => {
  const world = await beginWorld();
  const call = jobCall(world, await world.sign(), {
    order: async () => {
      throw new RangeError('no seats');
    },
  });
  await expect(world.drive(world.payments.pay(call))).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await paymentStates(world)).toEqual([]);
  expect(world.books().paid).toBe(0n);
});

test('a refund that the chain refuses stays due, is told, and is tried again', async () => {
  const world = await beginWorld();
  const notices: unknown[] = [];
  world.engine.feed(0, ({ emits }) => {
    notices.push(...emits.filter(({ type }) => type === 'operator.notice'));
  });
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  world.chain.faults.fates.push('refused');
  await world.engine.tell(gist(answer), { type: 'FAIL' });
  await world.clock.advance(0);
  expect(await paymentStates(world)).toEqual(['refund_due']);
  expect(notices).toHaveLength(1);
  await world.clock.advance(HOUR);
  expect(await paymentStates(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('a refund whose answer was lost is not paid again', async () => {
  const world = await beginWorld();
  const answer = await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  world.chain.faults.fates.push('late');
  await world.engine.tell(gist(answer), { type: 'FAIL' });
  await world.clock.advance(2 * HOUR);
  expect(await paymentStates(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('work that is never finished is refunded when its time is over', async () => {
  const world = await beginWorld();
  await world.drive(world.payments.pay(jobCall(world, await world.sign())));
  await world.clock.advance(8 * 24 * HOUR);
  expect(await paymentStates(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});
