import { expect, test } from 'vitest';
import { planArbiters } from '../../../src/actors/arbitration/arbitration-order.ts';
import { ArbitrationRequest } from '../../../src/domain/arbitration/request.ts';
import { scriptedLlm } from '../../support/scripted-llm.ts';

test.each([
  [1, {}, 3],
  [4, {}, 3],
  [5, {}, 5],
  [9, {}, 7],
  [9, { seats: 3 }, 3],
  [9, { seats_by: 'rules' }, 3],
] as const)('%i models fill a seat each, with %j asked for %i', async (models, asked, seats) => {
  const families = Array.from({ length: models }, (_, at) => `family-${at}`);
  const llm = scriptedLlm({ families, say: () => 'hang' });
  const plan = planArbiters(llm, ArbitrationRequest.parse({ job_id: 'j', ...asked }), '5000000');
  expect(plan.seats).toHaveLength(seats);
});

test('no model sits on seats for which it is too dear', () => {
  const families = Array.from({ length: 7 }, (_, at) => `family-${at}`);
  // Half of 5.00 holds six calls of 0.40, not ten.
  const llm = scriptedLlm({ families, say: () => 'hang', ceiling: () => '400000' });
  const asked = ArbitrationRequest.parse({ job_id: 'board_1' });
  expect(planArbiters(llm, asked, '5000000')).toMatchObject({ mode: 'llm', families: 3 });
  const dear = scriptedLlm({ families, say: () => 'hang', ceiling: () => '500000' });
  expect(planArbiters(dear, asked, '5000000').mode).toBe('rules_only');
});
