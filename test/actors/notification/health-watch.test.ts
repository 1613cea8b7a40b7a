import { expect, test } from 'vitest';
import { watchHealth } from '../../../src/actors/notification/health-watch.ts';
import type { OperatorNotice } from '../../../src/actors/notification/operator-notices.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';

const MINUTE = 60_000;

test('a part that fails twice in a row is a P0 once, and its recovery is told once', async () => {
  const clock = new SimulatedClock(1_000_000);
  const raised: OperatorNotice[] = [];
  let fault: string | undefined;
  const end = watchHealth({
    clock,
    operator: { raise: (notice) => void raised.push(notice) },
    checks: [
      { part: 'chain', run: async () => fault },
      { part: 'store', run: async () => undefined },
    ],
  });
  const pass = async (found: string | undefined, minutes: number) => {
    fault = found;
    await clock.advance(minutes * MINUTE);
  };
  await pass('no answer', 1);
  await pass(undefined, 1);
  expect(raised).toEqual([]);
  await pass('no answer', 5);
  expect(raised.map(({ severity, title }) => [severity, title])).toEqual([
    ['P0', 'chain is unhealthy'],
  ]);
  await pass(undefined, 3);
  await pass('no answer', 2);
  expect(raised.map(({ severity, title }) => [severity, title])).toEqual([
    ['P0', 'chain is unhealthy'],
    ['P1', 'chain has recovered'],
    ['P0', 'chain is unhealthy'],
  ]);
  expect(new Set(raised.map(({ key }) => key)).size).toBe(3);
  await end();
  await pass(undefined, 5);
  expect(raised).toHaveLength(3);
});

test('a check that throws is a fault in its own words', async () => {
  const clock = new SimulatedClock(1_000_000);
  const raised: OperatorNotice[] = [];
  const end = watchHealth({
    clock,
    operator: { raise: (notice) => void raised.push(notice) },
    checks: [
      {
        part: 'chain',
        run: async () => {
          throw new AppError('CHAIN_UNAVAILABLE');
        },
      },
    ],
  });
  await clock.advance(2 * MINUTE);
  expect(raised.map(({ text }) => text)).toEqual(['The chain does not respond.']);
  await end();
});
