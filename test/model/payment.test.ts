import { describe, expect, test } from 'vitest';
import type { PaymentFlow } from '../../src/domain/payment.ts';
import { paymentMachine } from '../../src/machines/payment.ts';
import { paymentOrder } from '../support/machine-plans.ts';
import { coverageOf, everythingOf, missing, together } from './coverage.ts';
import { BEYOND_PAYMENT, edgePaths } from './payment-paths.ts';
import { playPayment } from './payment-run.ts';
import { overBothEngines } from './sample.ts';

const FLOWS: readonly PaymentFlow[] = ['authorization', 'upfront'];

test('the paths go through every state and transition that can be brought about', () => {
  const walks = FLOWS.flatMap((flow) =>
    edgePaths(flow).map(({ events }) => coverageOf(paymentMachine, paymentOrder({ flow }), events)),
  );
  const all = everythingOf(paymentMachine);
  expect([all.states.size, all.transitions.size]).toEqual([14, 29]);
  expect(missing(all, together(walks), Object.keys(BEYOND_PAYMENT))).toEqual([]);
  // What is declared out of reach must exist, and must not be reached after all.
  expect(
    missing({ states: new Set(), transitions: new Set(Object.keys(BEYOND_PAYMENT)) }, all, []),
  ).toEqual([]);
  expect(
    Object.keys(BEYOND_PAYMENT).filter((name) => together(walks).transitions.has(name)),
  ).toEqual([]);
});

describe.each(FLOWS)('through the front, %s', (flow) => {
  test.each(overBothEngines(edgePaths(flow)))(
    'over %s, caller and engine stand where the model stands: %s',
    { timeout: 60_000 },
    (http, _name, events) => playPayment(flow, http, events),
  );
});
