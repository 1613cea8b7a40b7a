import { expect, test } from 'vitest';
import { CONSENT_PATH } from '../../../src/domain/audit/consent.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import type { ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { auditWorld, contentOf, prove, TARGET } from '../../support/audits/audit-world.ts';
import { createPayer } from '../../support/payer.ts';
import { paymentStates } from '../../support/payment-world.ts';

const NAME = 'security_framework-audit';

test('a payment that is refused gives the place of its order back at once', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const passive = { target: TARGET, mode: 'passive' };
  const asked = await life.call(NAME, passive);
  if (asked.kind !== 'payment_required') throw new Error('no challenge');
  const [offer] = asked.required.accepts;
  if (offer === undefined) throw new Error('no offer');
  const value = await createPayer().pay(offer, { now: world.clock.now() });
  const refused = await life.call(NAME, passive, { payments: [{ carrier: 'meta', value }] });
  expect(refused.kind).toBe('payment_required');
  expect((await life.ended(jobOf(await life.buy(NAME, passive)))).status).toBe('published');
});

test('a settlement that is slower than the hold keeps its place', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const passive = { target: TARGET, mode: 'passive' };
  world.chain.faults.fates.push(...Array.from({ length: 40 }, () => 'lost' as const));
  await life.buy(NAME, passive);
  await world.clock.advance(130_000);
  expect(await paymentStates(life)).toEqual(['unknown.waiting']);
  const second = contentOf(await life.buy(NAME, passive));
  expect(second).toMatchObject({ error: 'RATE_LIMITED', data: { most: 1 } });
});

test('a target that is taken down behind its last probe makes no finished audit free', async () => {
  const world = await auditWorld();
  const life = await world.life();
  let lists = 0;
  world.fake.onRequest = (method) => {
    lists += method === 'tools/list' ? 1 : 0;
    // Recon, four probes and one look have listed the tools before.
    world.fake.isDown = lists >= 6;
  };
  const state = await life.ended(jobOf(await life.buyActive(NAME)));
  expect(state).toMatchObject({ status: 'failed', outcome: 'target_down', probes_done: 4 });
  expect(state.result).toBeUndefined();
  await expect(life.desk.read(state.audit_id)).rejects.toMatchObject({ code: 'AUDIT_UNKNOWN' });
  await world.clock.advance(5_000);
  expect(world.books()).toEqual({ paid: 5_000_000n, refunded: 5_000_000n });
});

test('requests of an audit are all that the target heard of it', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const nonce = prove(world, contentOf(await life.call(NAME, { target: TARGET })));
  let ordered = 0;
  let lists = 0;
  world.fake.onRequest = (method) => {
    lists += method === 'tools/list' ? 1 : 0;
    if (lists === 0 && method === CONSENT_PATH && ordered === 0) ordered = world.fake.requests;
    world.fake.isDown = lists >= 5;
  };
  const told = await life.buy(NAME, { target: TARGET, consent: { nonce } });
  const state = await life.ended(jobOf(told));
  expect(state.outcome).toBe('target_down');
  expect(ordered).toBe(2);
  expect(state.requests).toBe(world.fake.requests - ordered);
});

function jobOf(outcome: ToolOutcome): string {
  return AuditState.parse(contentOf(outcome)).job_id;
}
