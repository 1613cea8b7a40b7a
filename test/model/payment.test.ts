import { describe, expect, test } from 'vitest';
import type { PaymentFlow } from '../../src/domain/payment.ts';
import { paymentMachine } from '../../src/machines/payment.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { type MachinePath, pureState } from '../support/machine-paths.ts';
import { paymentOrder } from '../support/machine-plans.ts';
import { coverageOf, everythingOf, missing, together } from './coverage.ts';
import { BEYOND_PAYMENT, edgePaths, simplePaths, wordOf } from './payment-paths.ts';
import { look, makeHappen, startPayment } from './payment-run.ts';

const FLOWS: readonly PaymentFlow[] = ['authorization', 'upfront'];
const isLong = process.env['STOA_LONG'] !== undefined;

function pathsOf(flow: PaymentFlow): readonly MachinePath[] {
  return isLong ? [...edgePaths(flow), ...simplePaths(flow)] : edgePaths(flow);
}

test('the paths go through every state and transition that can be brought about', () => {
  const walks = FLOWS.flatMap((flow) =>
    pathsOf(flow).map(({ events }) => coverageOf(paymentMachine, paymentOrder({ flow }), events)),
  );
  const all = everythingOf(paymentMachine);
  expect(all.transitions.size).toBe(29);
  expect(missing(all, together(walks), Object.keys(BEYOND_PAYMENT))).toEqual([]);
  const names = [...all.transitions];
  expect(Object.keys(BEYOND_PAYMENT).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(FLOWS)('through the front, %s', (flow) => {
  const engines: readonly HttpEngine[] = ['node', 'uws'];
  const cases = pathsOf(flow).map(
    ({ name, events }, at) => [engines[at % 2] ?? 'node', name, events] as const,
  );

  test.each(cases)(
    'over %s, caller and engine stand where the model stands: %s',
    {
      timeout: 60_000,
    },
    async (http, _name, events) => {
      const run = await startPayment(flow, http);
      try {
        for (let at = 0; at < events.length; at += 1) {
          const event = events[at];
          if (event === undefined) break;
          await makeHappen(run, events, at, wordOf(event));
          const walked = events.slice(0, at + 1);
          const { value } = pureState(paymentMachine, paymentOrder({ flow }), walked);
          await look(run, value, flow);
        }
      } finally {
        await run.world.close();
      }
    },
  );
});
