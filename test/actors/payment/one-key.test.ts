import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PaidCall } from '../../../src/actors/payment/paid-call.ts';
import {
  inlineCall,
  type PaymentWorld,
  type Process,
  paymentWorld,
} from '../../support/payment-world.ts';

const PRICE = 2_000_000n;

type Move = (run: Run) => Promise<void>;

/** One key in one world, over as many processes as it takes. */
interface Run {
  readonly world: PaymentWorld;
  readonly call: PaidCall;
  process: Process;
}

const present = (change: Partial<PaidCall>, times: number): Move =>
  async function present({ world, call, process }) {
    const calls = Array.from({ length: times }, () => ({ ...call, ...change }));
    await world.drive(Promise.all(calls.map((each) => process.payments.pay(each))));
  };

const restart: Move = async (run) => {
  run.process.life.die();
  run.process = await run.world.start();
};

const named = (name: string, move: Move) => Object.assign(move, { toString: () => name });
const always = (name: string, move: Move) => fc.constant(named(name, move));

const moves: fc.Arbitrary<Move> = fc.oneof(
  always('present', present({}, 1)),
  always('present thrice', present({}, 3)),
  always('present for another call', present({ args: { urls: [] } }, 1)),
  always('restart', restart),
  fc.integer({ min: 1, max: 400_000 }).map((ms) =>
    named(`wait ${ms}`, async ({ world }) => {
      await world.clock.advance(ms);
    }),
  ),
  fc.constantFrom('late' as const, 'lost' as const, 'refused' as const).map((fate) =>
    named(`next broadcast ${fate}`, async ({ world }) => {
      world.chain.faults.fates.push(fate);
    }),
  ),
  fc.boolean().map((isDown) =>
    named(`chain down ${isDown}`, async ({ world }) => {
      world.chain.faults.isDown = isDown;
    }),
  ),
);

test('no sequence of presentations of one key charges more than once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('authorization' as const, 'upfront' as const),
      fc.array(moves, { minLength: 1, maxLength: 12 }),
      async (flow, sequence) => {
        const world = await paymentWorld();
        const call = inlineCall(world, await world.sign(), { flow });
        const run: Run = { world, call, process: await world.start() };
        for (const move of sequence) await move(run);
        const { paid, refunded } = world.books();
        expect([0n, PRICE]).toContain(paid);
        expect([0n, paid]).toContain(refunded);
        run.process.life.die();
      },
    ),
    { numRuns: 150 },
  );
});
