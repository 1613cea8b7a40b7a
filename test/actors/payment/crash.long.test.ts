import { describe, expect, test } from 'vitest';
import type { PaidAnswer, PaidCall } from '../../../src/actors/payment/paid-call.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import {
  gist,
  inlineCall,
  jobCall,
  type PaymentWorld,
  type Process,
  paymentWorld,
  textResult,
} from '../../support/payment-world.ts';

const PRICE = 2_000_000n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS_MAX = 40;

interface Story {
  readonly name: string;
  /** Event that the job gets when it lives; inline stories have none. */
  readonly jobEvent?: 'FINISH' | 'FAIL' | 'CANCEL';
  readonly refund: bigint;
  call(world: PaymentWorld, payload: PaymentPayload): PaidCall;
}

const stories: readonly Story[] = [
  { name: 'authorization', refund: 0n, call: inlineCall },
  {
    name: 'inline up front',
    refund: 0n,
    call: (world, payload) => inlineCall(world, payload, { flow: 'upfront' }),
  },
  {
    name: 'inline up front that fails',
    refund: PRICE,
    call: (world, payload) =>
      inlineCall(world, payload, { flow: 'upfront', run: async () => textResult('no', true) }),
  },
  { name: 'job that ends well', jobEvent: 'FINISH', refund: 0n, call: jobCall },
  { name: 'job that fails', jobEvent: 'FAIL', refund: PRICE, call: jobCall },
  { name: 'job that is cancelled', jobEvent: 'CANCEL', refund: 1_500_000n, call: jobCall },
];

/** Plays a story in one life, until its end or the life's. */
async function play(
  world: PaymentWorld,
  process: Process,
  story: Story,
  payload: PaymentPayload,
): Promise<PaidAnswer | undefined> {
  const told = async () => {
    const answer = await process.payments.pay(story.call(world, payload));
    const { rows } = await process.engine.list({ kind: 'errand', state: 'running' });
    for (const { id } of rows) {
      if (story.jobEvent) await process.engine.tell(id, { type: story.jobEvent });
    }
    await world.clock.advance(0);
    return answer;
  };
  return world.drive(Promise.race([told(), process.life.over.then(() => undefined)]));
}

/** Money that stays is owed to an answer; without one it never came, or went back. */
function isBalanced([end, paid, refunded]: readonly [string, bigint, bigint]): boolean {
  if (end === 'closed done') return paid === PRICE && refunded === 0n;
  if (end === 'refunded done') return paid === PRICE && [1_500_000n, PRICE].includes(refunded);
  return ['released done', 'no payment'].includes(end) && paid === 0n && refunded === 0n;
}

describe.each(stories)('$name', (story) => {
  test.each(['before', 'after'] as const)(
    'the books balance whichever step the process dies %s',
    async (when) => {
      for (let at = 1; at <= STEPS_MAX; at += 1) {
        const world = await paymentWorld();
        const payload = await world.sign();
        const first = await world.start({ at, when });
        await play(world, first, story, payload);
        const isThrough = !first.life.isOver;
        first.life.die();
        const second = await world.start();
        const answer = await play(world, second, story, payload);
        await world.clock.advance(HOUR);
        const hint = `died ${when} step ${at}`;
        expect(answer?.kind, hint).toBe('answered');
        expect(world.books(), hint).toEqual({ paid: PRICE, refunded: story.refund });
        const { rows } = await second.engine.list({ kind: 'payment' });
        expect(
          rows.map(({ status }) => status),
          hint,
        ).toEqual(['done']);
        if (isThrough) return;
      }
      expect.unreachable('the story has more steps than the test looks at');
    },
  );

  test('a payment whose buyer never comes back ends by itself, and the books balance', async () => {
    for (let at = 1; at <= STEPS_MAX; at += 1) {
      const world = await paymentWorld();
      const first = await world.start({ at, when: 'after' });
      await play(world, first, story, await world.sign());
      const isThrough = !first.life.isOver;
      first.life.die();
      const { engine } = await world.start();
      await world.clock.advance(9 * DAY);
      const { rows } = await engine.list({ kind: 'payment' });
      const { paid, refunded } = world.books();
      const end = rows.map(({ state, status }) => `${state} ${status}`).join() || 'no payment';
      expect([end, paid, refunded], `died after step ${at}`).toSatisfy(isBalanced);
      if (isThrough) return;
    }
  });
});

test('an unknown outcome is reconciled by the next process', async () => {
  for (const fate of ['late', 'lost'] as const) {
    const world = await paymentWorld();
    const first = await world.start();
    world.chain.faults.fates.push(fate);
    const call = jobCall(world, await world.sign());
    expect(gist(await world.drive(first.payments.pay(call)))).toBe('PAYMENT_PENDING');
    first.life.die();
    await world.clock.advance(60_000);
    const second = await world.start();
    await world.clock.advance(60_000);
    expect((await world.drive(second.payments.pay(call))).kind).toBe('answered');
    expect(world.books()).toEqual({ paid: PRICE, refunded: 0n });
  }
});
