import { expect, test } from 'vitest';
import { AuditState } from '../../../src/domain/audit/state.ts';
import { auditWorld, contentOf, TARGET, textOf } from '../../support/audits/audit-world.ts';

const NAME = 'security_enterprise-audit';
const ANCHOR = {
  size: 7,
  root: 'a'.repeat(64),
  transaction: `0x${'b'.repeat(64)}`,
  block: 12,
  chain_id: 31337,
  contract: `0x${'c'.repeat(40)}`,
  account: `0x${'d'.repeat(40)}`,
  seen_at: '2026-01-01T00:00:00.000Z',
} as const;

test('thirteen seats sit there: a scoper, ten auditors, a verifier who confirms, a notary', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const bought = AuditState.parse(contentOf(await life.buyActive(NAME)));
  const state = await life.ended(bought.job_id);
  expect(state).toMatchObject({ seats: 13, price: { amount: '25.00' }, status: 'published' });
  const { payload } = await life.desk.read(state.audit_id);
  expect(payload.seats.map(({ seat_id }) => seat_id)).toEqual(
    Array.from({ length: 13 }, (_, at) => `A${String(at).padStart(2, '0')}`),
  );
  const confirmed = payload.findings.filter(({ status }) => status === 'confirmed');
  expect(confirmed.map(({ reproduced_by }) => reproduced_by)).toEqual(['A11', 'A11']);
  expect(payload.categories.map(({ seat }) => seat)).toEqual(
    Array.from({ length: 10 }, (_, at) => `A${String(at + 1).padStart(2, '0')}`),
  );
});

test('where the chain has no contract the report says so, and nothing else', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const told = await life.buyActive(NAME, { wait_s: 60 });
  const state = AuditState.parse(contentOf(told));
  expect(state.result).toMatchObject({
    anchor_status: 'not_configured',
    anchor_reason: 'This chain has no anchor contract.',
  });
  expect(textOf(told)).toContain('Anchor: not_configured. This chain has no anchor contract.');
  const { proof } = await life.desk.read(state.audit_id);
  expect(proof).toMatchObject({ anchor_status: 'not_configured', anchor: null });
});

test('an anchor that the chain holds is named with its transaction', async () => {
  const world = await auditWorld();
  world.anchor = ANCHOR;
  const life = await world.life();
  const state = await life.ended(
    AuditState.parse(contentOf(await life.buyActive(NAME, { target: TARGET }))).job_id,
  );
  expect(state.result).toMatchObject({ anchor_status: 'anchored', anchor_reason: null });
  const { seen_at: _seen, ...anchor } = ANCHOR;
  expect((await life.desk.read(state.audit_id)).proof).toMatchObject({
    anchor_status: 'anchored',
    anchor,
  });
});
