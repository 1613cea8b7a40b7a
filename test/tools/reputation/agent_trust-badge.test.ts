import { afterAll, beforeAll, expect, test } from 'vitest';
import { trustBadgeTool } from '../../../src/tools/reputation/agent_trust-badge.ts';
import { walletOf } from '../../support/job-events.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';

let rig: LookRig;
beforeAll(() => {
  rig = lookRig();
  rig.register('seller', { wallet: walletOf(1) });
});
afterAll(() => rig.close());

async function badge(subject: string) {
  const tool = trustBadgeTool(rig.deps);
  const { structuredContent } = await tool.run({ subject }, toolContext().context);
  tool.output.parse(structuredContent);
  expect(rig.isSigned(structuredContent)).toBe(true);
  return structuredContent;
}

test('the badge follows settled jobs and nothing else, and says how long it may be shown', async () => {
  proves('C2.t3', 'C4.3.t3', 'C8.s1.c2');
  expect(await badge('seller')).toMatchObject({ badge: 'none', score: 0 });
  await rig.happen((feed) => {
    for (let n = 0; n < 17; n += 1) feed.released({ buyer: 100 + n, provider: 1, day: 6 * n });
  });
  const told = await badge('seller');
  expect(told).toMatchObject({
    badge: 'silver',
    payload: {
      badge: 'silver',
      score: 70,
      settled_jobs: 17,
      lost_disputes: 0,
      thresholds: { gold: 85, silver: 70, bronze: 50 },
      as_of: { events: 17 },
    },
    statement: { kind: 'trust_badge' },
    // It was not paid for here: a proof is made of what was.
    proof: null,
  });
  const { payload, statement } = told as {
    payload: { valid_until: string };
    statement: { issued_at: string };
  };
  const shownMs = Date.parse(payload.valid_until) - Date.parse(statement.issued_at);
  expect(shownMs).toBe(86_400_000);
  // A ring with its buyers takes the badge away again.
  await rig.happen((feed) => {
    for (let n = 0; n < 17; n += 1) feed.released({ buyer: 1, provider: 100 + n });
  });
  expect(await badge('seller')).toMatchObject({ badge: 'none', score: 0 });
});

test('a badge costs a cent', () => {
  const tool = trustBadgeTool(rig.deps);
  expect([tool.name, tool.price]).toEqual([
    'agent_trust-badge',
    { amount: '10000', flow: 'authorization' },
  ]);
});
