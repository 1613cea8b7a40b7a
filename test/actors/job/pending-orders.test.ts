import { expect, test } from 'vitest';
import { PENDING_ORDER_MS, PendingOrders } from '../../../src/actors/job/pending-orders.ts';
import type { JobBuyer } from '../../../src/domain/tool/tool.ts';
import { EngineError } from '../../../src/runtime/engine/error.ts';

const by = (id: string, paymentId = 'pay_1'): JobBuyer => ({
  principal: { kind: 'address', id },
  paymentId,
  payer: '0x1',
});

function placesOf(states: Readonly<Record<string, string>> = {}) {
  const view = async (id: string) => {
    const value = states[id];
    if (value === undefined) throw new EngineError('ACTOR_UNKNOWN', 'no such actor');
    return { status: 'active', value } as never;
  };
  return new PendingOrders<string>({ engine: { view }, perPrincipalMax: 2 });
}

test('one caller holds no more than its share, and others are not kept out', () => {
  const places = placesOf();
  const release = places.reserve('a', { value: 'a', by: by('192.0.2.1') }, 0);
  places.reserve('b', { value: 'b', by: by('192.0.2.1') }, 0);
  const third = () => places.reserve('c', { value: 'c', by: by('192.0.2.1') }, 0);
  expect(third).toThrow('at most 2 are allowed');
  places.reserve('d', { value: 'd', by: by('192.0.2.2') }, 0);
  release();
  third();
  expect(places.values()).toEqual(['b', 'd', 'c']);
});

test('a late release takes no place from the next holder', () => {
  const places = placesOf();
  const release = places.reserve('a', { value: 'first', by: by('192.0.2.1') }, 0);
  places.remove('a');
  places.reserve('a', { value: 'second', by: by('192.0.2.2') }, 0);
  release();
  expect(places.values()).toEqual(['second']);
});

test('a place lapses unless its payment may still settle', async () => {
  const places = placesOf({ pay_slow: 'settling', pay_unknown: 'unknown', pay_bad: 'refused' });
  for (const id of ['pay_slow', 'pay_unknown', 'pay_bad', 'pay_gone']) {
    places.reserve(id, { value: id, by: by(id, id) }, 0);
  }
  await places.sweep(PENDING_ORDER_MS - 1);
  expect(places.size).toBe(4);
  await places.sweep(PENDING_ORDER_MS);
  expect(places.values()).toEqual(['pay_slow', 'pay_unknown']);
});
