import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prehireCheckTool } from '../../../src/tools/reputation/agent_prehire-check.ts';
import { walletOf } from '../../support/job-events.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { textOf } from '../../support/tool-answers.ts';

const SELLER = 1;
const job = { buyer: 50, provider: SELLER };
const NO_ROWS = { settlements: [], disputes: [], refunds: [], revocations: [], delegations: [] };
const DELEGATION: LookRig['delegations'][number] = {
  delegation_id: `dlg_${'a'.repeat(64)}`,
  delegator: walletOf(9),
  delegate: walletOf(SELLER),
  scope: ['work.buy'],
  depth_left: 0,
  status: 'active',
  expires_at: '2027-01-01T00:00:00.000Z',
  proof_seq: 3,
};
let rig: LookRig;
beforeAll(() => {
  rig = lookRig();
});
afterAll(() => rig.close());

async function report(subject: string) {
  const tool = prehireCheckTool(rig.deps);
  const result = await tool.run({ subject }, toolContext().context);
  tool.output.parse(result.structuredContent);
  expect(rig.isSigned(result.structuredContent)).toBe(true);
  const { payload } = result.structuredContent as { payload: Record<string, unknown> };
  return { payload, result };
}

describe('a prehire report', () => {
  test('of an agent with nothing behind it names that, and claims no more', async () => {
    const { payload } = await report('newcomer');
    expect(payload).toMatchObject({
      registered: false,
      wallet: null,
      agent: null,
      signals: ['not_registered', 'no_settled_history'],
      ...NO_ROWS,
      lists: { newest_events_read: 0, is_complete: true },
      advised_above_usd: '100',
    });
    expect(JSON.stringify(payload['limits'])).toContain('no terms enforceable');
  });

  test('lists settlements, disputes, refunds, revocations and delegations, under one signature', async () => {
    proves('C2.t4', 'C4.3.t2', 'C8.t4', 'C8.s1.c4');
    rig.register('seller', {
      wallet: walletOf(SELLER),
      status: 'revoked',
      revoked: { at: '2026-02-01T00:00:00.000Z', reason: 'key lost' },
    });
    rig.delegations.push(DELEGATION);
    await rig.happen((feed) => {
      for (let n = 0; n < 30; n += 1) feed.released({ buyer: 100 + n, provider: SELLER, day: n });
      feed.released({ buyer: SELLER, provider: 60, day: 31 });
      feed.disputed({ ...job, day: 32 });
      feed.refunded({ ...job, day: 33 });
    });
    const { events } = rig.logs;
    await events.append({
      key: 'revoked',
      type: 'passport.revoked',
      ref: 'seller',
      subjects: [walletOf(SELLER)],
      data: { name: 'seller', agent_id: 'x', reason: 'key lost' },
      happenedAt: Date.UTC(2026, 1, 1),
    });
    const { payload, result } = await report('seller');
    expect(payload).toMatchObject({
      agent: { name: 'seller', status: 'revoked' },
      reputation: { settled_jobs: 30, disputes: 1, refunds: 1, unfulfilled: 1 },
      signals: ['passport_revoked', 'open_disputes', 'unfulfilled_work'],
      disputes: [{ role: 'provider', counterparty: walletOf(50), outcome: 'open' }],
      refunds: [{ amount_usd: '20.00', reason: 'unfulfilled', role: 'provider' }],
      revocations: [{ what: 'passport', ref: 'seller', reason: 'key lost' }],
      delegations: [{ scope: ['work.buy'], status: 'active' }],
      lists: { rows_max: 25, newest_events_read: 34, is_complete: true },
    });
    const settlements = payload['settlements'] as { role: string; at: string; fee_usd: string }[];
    expect(settlements).toHaveLength(25);
    expect(settlements[0]).toMatchObject({ role: 'buyer', counterparty: walletOf(60) });
    expect(settlements[1]).toMatchObject({ role: 'provider', price_usd: '20.00', fee_usd: '4.00' });
    expect(textOf(result)).toContain('is revoked');
  });

  test('says how each dispute ended, for whichever side the agent stood on', async () => {
    const parties = [70, 71, 72, 73, 74].map((buyer) => ({ buyer, provider: 2 }));
    const [lost, won, withdrawn, undecided, open] = parties as [Job, Job, Job, Job, Job];
    await rig.happen((feed) => {
      for (const each of parties) feed.disputed(each);
      const refs = feed.events.slice(-5).map(({ ref }) => ref);
      const same = (at: number) => {
        Object.assign(feed.events.at(-1) ?? {}, { ref: refs[at] });
      };
      feed.decided(lost, 'buyer');
      same(0);
      feed.decided(won, 'provider');
      same(1);
      Object.assign(feed.disputed(withdrawn), { type: 'job.dispute_withdrawn', ref: refs[2] });
      feed.refunded(undecided, 'undecided');
      same(3);
    });
    const outcomes = async (wallet: number) => {
      const { payload } = await report(walletOf(wallet));
      return (payload['disputes'] as { outcome: string }[]).map(({ outcome }) => outcome);
    };
    expect(await outcomes(2)).toEqual(['open', 'undecided', 'withdrawn', 'won', 'lost']);
    expect(await outcomes(lost.buyer)).toEqual(['won']);
    expect(await outcomes(won.buyer)).toEqual(['lost']);
    expect(await outcomes(open.buyer)).toEqual(['open']);
  });
});

interface Job {
  readonly buyer: number;
  readonly provider: number;
}

test('a report costs a quarter dollar, and its text advises it above about 100 dollars', () => {
  const tool = prehireCheckTool(rig.deps);
  expect(tool.price).toEqual({ amount: '250000', flow: 'authorization' });
  expect(tool.description).toContain('above about 100 dollars of exposure');
});
