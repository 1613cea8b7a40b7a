import { expect, test } from 'vitest';
import type { AuditReport } from '../../../src/domain/audit/report.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import {
  type AuditLife,
  type AuditWorld,
  auditJobsOf,
  auditWorld,
  contentOf,
  prove,
  TARGET,
} from '../../support/audits/audit-world.ts';
import type { Death } from '../../support/mortal.ts';

const NAME = 'security_framework-audit';
/** Of the commits of one purchase every so many is a death; all of them in the long form. */
const STRIDE = process.env['STOA_LONG'] === 'all' ? 1 : 6;

interface Purchase {
  readonly args: object;
  readonly value: unknown;
}

async function prepare(world: AuditWorld, life: AuditLife): Promise<Purchase> {
  const refused = contentOf(await life.call(NAME, { target: TARGET }));
  const nonce = prove(world, refused);
  const args = { target: TARGET, consent: { nonce } };
  const asked = await life.call(NAME, args);
  if (asked.kind !== 'payment_required') throw new Error('no challenge');
  return { args, value: await world.sign(asked.required.accepts[0]) };
}

async function finish(life: AuditLife, { args, value }: Purchase): Promise<AuditState> {
  const told = await life.call(NAME, args, { payments: [{ carrier: 'meta', value }] });
  return life.ended(AuditState.parse(contentOf(told)).job_id);
}

/** Buys an audit over as many deaths as are given, and reads its report. */
async function audited(deaths: readonly Death[]) {
  const world = await auditWorld();
  const first = await world.life();
  const purchase = await prepare(world, first);
  first.life.die();
  let steps = 0;
  for (const death of deaths) {
    const life = await world.life(death);
    await finish(life, purchase).catch(() => undefined);
    life.life.die();
  }
  const last = await world.life();
  const state = await finish(last, purchase);
  steps = last.life.steps;
  await world.clock.advance(5_000);
  const { payload } = await last.desk.read(state.audit_id);
  const jobs = await auditJobsOf(last.engine);
  return { state, payload, steps, jobs, books: world.books(), open: world.fake.open };
}

/** What does not depend on when it happened. */
function essence({
  findings,
  categories,
  probes,
  root,
  confirmed,
  outcome,
  requests,
}: AuditReport) {
  return { findings, categories, probes, root, confirmed, outcome, requests };
}

test('killed before or after any commit, an audit gives the same report and is charged once', {
  timeout: STRIDE === 1 ? 300_000 : 30_000,
}, async () => {
  const whole = await audited([]);
  expect(whole.payload.outcome).toBe('complete');
  expect(whole.steps).toBeGreaterThan(15);
  for (let at = 1; at <= whole.steps; at += STRIDE) {
    for (const when of ['before', 'after'] as const) {
      const hint = `${when} commit ${at}`;
      const cut = await audited([{ at, when }]);
      expect(essence(cut.payload), hint).toEqual(essence(whole.payload));
      expect(cut.jobs, hint).toHaveLength(1);
      expect(cut.books, hint).toEqual({ paid: 5_000_000n, refunded: 0n });
      expect(cut.open, hint).toBe(0);
    }
  }
});

test('killed again and again, it still ends with the same report', {
  timeout: 20_000,
}, async () => {
  const whole = await audited([]);
  const deaths = [9, 4, 4, 4, 4].map((at): Death => ({ at, when: 'after' }));
  expect(essence((await audited(deaths)).payload)).toEqual(essence(whole.payload));
});
