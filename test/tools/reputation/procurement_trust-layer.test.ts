import { afterAll, beforeAll, expect, test } from 'vitest';
import { trustLayerTool } from '../../../src/tools/reputation/procurement_trust-layer.ts';
import { walletOf } from '../../support/job-events.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';

let rig: LookRig;
beforeAll(() => {
  rig = lookRig();
});
afterAll(() => rig.close());

test('evidence names each event by its place in the feed, and the checkpoint of the proofs', async () => {
  proves('C4.3.t26');
  rig.register('seller', { wallet: walletOf(1) });
  await rig.happen((feed) => {
    for (let n = 0; n < 30; n += 1) feed.released({ buyer: 100 + n, provider: 1, day: n });
  });
  const checkpoint = await rig.logs.log.checkpoint();
  const tool = trustLayerTool(rig.deps);
  const { structuredContent } = await tool.run({ subject: '0' }, toolContext().context);
  tool.output.parse(structuredContent);
  expect(rig.isSigned(structuredContent)).toBe(true);
  expect(structuredContent).toMatchObject({
    payload: {
      registered: true,
      wallet: walletOf(1),
      settled_jobs: 30,
      lost_disputes: 0,
      ledger: {
        events: 30,
        proofs_checkpoint: checkpoint,
        agent_registry: rig.chain.trust.identity.agentRegistry,
        escrow: rig.chain.trust.contracts.escrow,
      },
    },
  });
  const { payload } = structuredContent as { payload: { evidence: { seq: number }[] } };
  const { evidence } = payload;
  expect(evidence).toHaveLength(25);
  for (const row of evidence) {
    const [event] = rig.logs.events.read(row.seq, 1);
    expect(row).toEqual({
      seq: event?.seq,
      at: event?.at,
      type: event?.type,
      ref: event?.ref,
      transaction: event?.data['transaction'],
    });
  }
});

test('an agent that nobody knows has no evidence, and that is an ordinary answer for a cent', async () => {
  const tool = trustLayerTool(rig.deps);
  const { structuredContent } = await tool.run({ subject: 'nobody' }, toolContext().context);
  expect(structuredContent).toMatchObject({ score: 0, payload: { evidence: [], wallet: null } });
  expect(tool.price).toEqual({ amount: '10000', flow: 'authorization' });
});
