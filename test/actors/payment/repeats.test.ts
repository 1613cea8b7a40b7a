import { expect, test } from 'vitest';
import { UNIDENTIFIED_REPEAT_MS } from '../../../src/actors/payment/same-payment.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import { beginWorld, gist, inlineCall, jobCall, paidAnswer } from '../../support/payment-world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ID = 'pay_0123456789abcdef';

test('a payment with an identifier gets its answer again for as long as it is kept', async () => {
  const world = await beginWorld();
  const call = inlineCall(world, identified(await world.sign(), ID));
  const first = await world.drive(world.payments.pay(call));
  await world.clock.advance(20 * DAY);
  expect(await world.drive(world.payments.pay(call))).toEqual(first);
  expect(call.runs()).toBe(1);
});

test.each([
  ['nothing', (payload: PaymentPayload) => payload],
  ['another identifier', (payload: PaymentPayload) => identified(payload, `${ID}0`)],
  ['an echo without an identifier', (payload: PaymentPayload) => identified(payload, undefined)],
])('who brings a settled signature and %s gets no answer, job or receipt', async (_, copy) => {
  for (const make of [inlineCall, jobCall]) {
    const world = await beginWorld();
    const signed = await world.sign();
    const bought = await world.drive(world.payments.pay(make(world, identified(signed, ID))));
    expect(paidAnswer(bought).settlement?.success).toBe(true);
    const stolen = await world.drive(world.payments.pay(make(world, copy(signed))));
    expect(gist(stolen)).toBe('PAYMENT_REPLAYED');
    expect(stolen.settlement).toBeUndefined();
    expect(JSON.stringify(stolen)).not.toMatch(/job_|ran 1|0x[0-9a-f]{64}/);
    expect(world.books().paid).toBe(2_000_000n);
  }
});

test('a copy without the identifier does not join while the payment is under way', async () => {
  const world = await beginWorld();
  const signed = await world.sign();
  const own = inlineCall(world, identified(signed, ID));
  const [mine, theirs] = await world.drive(
    Promise.all([world.payments.pay(own), world.payments.pay(inlineCall(world, signed))]),
  );
  expect(mine && gist(mine)).toBe('ran 1');
  expect(theirs && gist(theirs)).toBe('PAYMENT_REPLAYED');
});

test('a payment without an identifier gets its answer again only shortly after it settled', async () => {
  const world = await beginWorld();
  const call = inlineCall(world, await world.sign());
  const first = await world.drive(world.payments.pay(call));
  await world.clock.advance(UNIDENTIFIED_REPEAT_MS - MINUTE);
  expect(await world.drive(world.payments.pay(call))).toEqual(first);
  await world.clock.advance(MINUTE + 1);
  expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_REPLAYED');
  expect(UNIDENTIFIED_REPEAT_MS).toBe(300_000);
});

test('what was never settled is on no chain, and is told again at any time', async () => {
  const world = await beginWorld();
  const run = async () => ({ content: [{ type: 'text' as const, text: 'no' }], isError: true });
  const call = inlineCall(world, await world.sign(), { run });
  const first = await world.drive(world.payments.pay(call));
  await world.clock.advance(DAY);
  expect(await world.drive(world.payments.pay(call))).toEqual(first);
  expect(world.books().paid).toBe(0n);
});

test('an identifier of another form is refused before anything is charged', async () => {
  for (const id of ['short', 'x'.repeat(129), 'has spaces in its middle', 7]) {
    const world = await beginWorld();
    const call = inlineCall(world, identified(await world.sign(), id));
    expect(gist(await world.drive(world.payments.pay(call)))).toBe('PAYMENT_MALFORMED');
    expect(world.books().paid).toBe(0n);
  }
});

test('the kept payment holds the hash of its identifier, never the identifier', async () => {
  const world = await beginWorld();
  await world.drive(world.payments.pay(inlineCall(world, identified(await world.sign(), ID))));
  const { rows } = await world.engine.list({ kind: 'payment' });
  const view = await world.engine.view(rows[0]?.id ?? '');
  expect(JSON.stringify(view.context)).not.toContain(ID);
});

/** A payment as clients send it back to a challenge that suggests an identifier. */
function identified(payload: PaymentPayload, id: unknown): PaymentPayload {
  const info = { required: false, ...(id === undefined ? {} : { id }) };
  return { ...payload, extensions: { 'payment-identifier': { info } } };
}
