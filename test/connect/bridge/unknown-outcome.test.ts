import { expect, test } from 'vitest';
import { PAYMENT_META } from '../../../src/domain/payment/payment.ts';
import { connectWorld, DEBATE, question } from '../../support/connect-world.ts';

const isPayment = (request: Record<string, unknown>): boolean =>
  JSON.stringify(request).includes(`"${PAYMENT_META}"`);

/** How many different signatures were presented. */
const signatures = (payments: readonly { payload: { signature: string } }[]): number =>
  new Set(payments.map(({ payload }) => payload.signature)).size;

test('an answer that is lost is fetched with the same signature, and paid once', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call } = await bridge();
  let lost = 0;
  proxy.fate = (request) => {
    if (!isPayment(request) || lost >= 2) return 'pass';
    lost += 1;
    return lost === 1 ? 'swallow' : 'cut';
  };
  const told = await call(DEBATE, question('One'));
  expect(told.structuredContent).toMatchObject({ status: 'needs_turns' });
  expect(proxy.payments).toHaveLength(3);
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('a call that was given up is found again by the next bridge, and paid once', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const first = await bridge();
  proxy.fate = (request) => (isPayment(request) ? 'hold' : 'pass');
  const open = first.call(DEBATE, question('One')).catch(() => undefined);
  await expect.poll(() => proxy.payments.length, { timeout: 10_000 }).toBe(1);
  await first.end();
  void open;
  proxy.fate = () => 'pass';

  const second = await bridge();
  expect((await second.call('wallet_status', {})).structuredContent).toMatchObject({
    spent_today: { amount: '2.00' },
    undecided: [{ tool: DEBATE, amount: { amount: '2.00' } }],
  });
  const told = await second.call(DEBATE, question('One'));
  expect(told.structuredContent).toMatchObject({ status: 'needs_turns' });
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
  const other = await second.call(DEBATE, question('Two'));
  expect(other.isError).toBeFalsy();
  expect(signatures(proxy.payments)).toBe(2);
});

test('equal calls at once share one payment', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call } = await bridge();
  const told = await Promise.all([1, 2, 3].map(() => call(DEBATE, question('Same'))));
  const jobs = told.map(({ structuredContent }) => structuredContent?.['job_id']);
  expect(new Set(jobs).size).toBe(1);
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('of two processes that reserve for an equal call at once, the first in the ledger pays', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call, ledger } = await bridge();
  const other = (await bridge()).ledger;
  const nonce = `0x${'7'.repeat(64)}`;
  const reserve = ledger.reserve;
  ledger.reserve = (row) => {
    other.reserve({ ...row, nonce, authorization: { ...row.authorization, nonce } });
    return reserve(row);
  };
  const told = await call(DEBATE, question('Same'));
  expect(told.isError).toBeFalsy();
  expect(proxy.payments.map(({ payload }) => payload.authorization.nonce)).toEqual([nonce]);
  expect(ledger.entries().map(({ last }) => last.outcome)).toEqual(['settled', 'released']);
  expect(ledger.totalsToday('').day).toBe(2_000_000n);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('a call that the client cancels stays counted and is not paid anew', async () => {
  const { bridge, proxy } = await connectWorld();
  const { client, call, ledger } = await bridge();
  proxy.fate = (request) => (isPayment(request) ? 'hold' : 'pass');
  const stop = new AbortController();
  const args = { ...question('One') };
  const open = client.callTool({ name: DEBATE, arguments: args }, undefined, {
    signal: stop.signal,
  });
  open.catch(() => undefined);
  await expect.poll(() => proxy.payments.length, { timeout: 10_000 }).toBe(1);
  stop.abort();
  await expect(open).rejects.toThrow();
  await expect.poll(() => proxy.methods.includes('notifications/cancelled')).toBe(true);
  expect(ledger.totalsToday('').day).toBe(2_000_000n);
  proxy.fate = () => 'pass';
  await call(DEBATE, args);
  expect(signatures(proxy.payments)).toBe(1);
});

test('a call that is repeated in other words for the same work finds the first payment', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const first = await bridge();
  proxy.fate = (request) => (isPayment(request) ? 'swallow' : 'pass');
  const stop = new AbortController();
  const args = { ...question('One') };
  const open = first.client.callTool({ name: DEBATE, arguments: args }, undefined, {
    signal: stop.signal,
  });
  open.catch(() => undefined);
  await expect.poll(() => proxy.payments.length, { timeout: 10_000 }).toBeGreaterThan(0);
  stop.abort();
  proxy.fate = () => 'pass';
  const second = await bridge();
  const told = await second.call(DEBATE, { seats: 5, max_rounds: 1, ...args, wait_s: 1 });
  expect(told.structuredContent?.['job_id']).toBeDefined();
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('a call whose input ends behind it is answered, paid once, and then it is over', async () => {
  const { bridge, proxy } = await connectWorld();
  const first = await bridge();
  proxy.fate = (request) => (isPayment(request) ? 'hold' : 'pass');
  const open = first.call(DEBATE, question('One'));
  await expect.poll(() => proxy.payments.length, { timeout: 10_000 }).toBe(1);
  const over = first.endInput();
  proxy.fate = () => 'pass';
  proxy.release();
  expect((await open).structuredContent?.['job_id']).toBeDefined();
  await over;
  const entries = first.ledger.entries();
  expect(entries.map(({ last }) => last.outcome)).toEqual(['settled']);
});

test('an answer that nobody took is found again, and paid once', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const first = await bridge();
  proxy.fate = (request) => (isPayment(request) ? 'hold' : 'pass');
  first.call(DEBATE, question('One')).catch(() => undefined);
  await expect.poll(() => proxy.payments.length, { timeout: 10_000 }).toBe(1);
  const over = first.endInput({ isDeaf: true });
  proxy.fate = () => 'pass';
  proxy.release();
  await over;
  const second = await bridge();
  const told = await second.call(DEBATE, question('One'));
  expect(told.structuredContent?.['job_id']).toBeDefined();
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('of equal calls in other words at once one pays', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call } = await bridge();
  const told = await Promise.all(
    [0, 1, 2].map((wait_s) => call(DEBATE, { ...question('Same'), wait_s })),
  );
  const jobs = told.map(({ structuredContent }) => structuredContent?.['job_id']);
  expect(new Set(jobs).size).toBe(1);
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('a payment that is not final is presented again until it is', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  commerce.chain.faults.fates.push('late');
  const { call } = await bridge();
  const told = await call(DEBATE, question('One'));
  expect(told.isError).toBeFalsy();
  expect(signatures(proxy.payments)).toBe(1);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('a refusal of the chain is told in words, and the money stays held', async () => {
  const { bridge, commerce } = await connectWorld();
  commerce.chain.faults.fates.push('refused');
  const { call, ledger } = await bridge();
  const told = await call(DEBATE, question('One'));
  expect(told).toMatchObject({ isError: true, structuredContent: { error: 'SETTLEMENT_FAILED' } });
  expect(told.content.at(-1)?.text).toMatch(/^Nothing was charged/);
  expect(ledger.totalsToday('').day).toBe(2_000_000n);
});
