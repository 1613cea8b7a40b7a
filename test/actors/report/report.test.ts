import { expect, test } from 'vitest';
import type { ToolOutcome } from '../../../src/domain/tool/tool.ts';
import type { Death } from '../../support/mortal.ts';
import {
  NAME,
  type ReportWorld,
  reportWorld,
  stateOf,
} from '../../support/reports/report-world.ts';
import { STEPS, type TestKindOptions, testKind } from '../../support/reports/test-kind.ts';

const WHOLE = { paid: 2_000_000n, refunded: 0n };
const BACK = { paid: 2_000_000n, refunded: 2_000_000n };

async function bought(options: TestKindOptions) {
  const world = await reportWorld(testKind(options));
  const life = await world.life();
  const outcome = await life.buy({ subject: 'Example Ltd', wait_s: 300 });
  const state = await life.ended(stateOf(outcome).job_id);
  await world.clock.advance(5_000);
  return { world, life, outcome, state, books: world.books() };
}

function textOf(outcome: ToolOutcome): string {
  const [first] = outcome.kind === 'result' ? outcome.result.content : [];
  return first?.type === 'text' ? first.text : '';
}

test('a report of three steps ends with one signed answer, and its price is kept', async () => {
  const { state, outcome, books } = await bought({});
  expect(state).toMatchObject({ status: 'published', outcome: 'complete', refund: null });
  expect(state.steps.map(({ id, status }) => [id, status])).toEqual(
    STEPS.map((id) => [id, 'done']),
  );
  expect(state.report).toMatchObject({
    tool: NAME,
    completeness: 'full',
    data: { found: [...STEPS], order: ['identity', 'filings'] },
    statement: { kind: 'data_answer' },
  });
  expect(textOf(outcome).split('\n')[0]).toBe('Found 3 of 3.');
  expect(textOf(outcome)).toContain(`See: http://localhost/v1/reports/${state.job_id}`);
  expect(books).toEqual(WHOLE);
});

test('a step that fails is told as a fault, and the rest goes on', async () => {
  const { state, books } = await bought({ fates: { identity: 'fails', filings: 'hangs' } });
  expect(state.steps.map(({ status, fault }) => [status, fault?.code])).toEqual([
    ['failed', 'upstream_unavailable'],
    ['failed', 'upstream_timeout'],
    ['done', undefined],
  ]);
  expect(state.report).toMatchObject({
    completeness: 'partial',
    coverage: { asked: 3, answered: 1, missing: ['identity', 'filings'] },
  });
  expect(books).toEqual(WHOLE);
});

test('nothing behind a step runs without which there is no report, and the price goes back', async () => {
  const ran: string[] = [];
  const { state, books } = await bought({
    fates: { filings: 'fails' },
    required: 'filings',
    onRun: (id) => void ran.push(id),
  });
  expect(ran).toEqual(['identity', 'filings']);
  expect(state).toMatchObject({ status: 'failed', outcome: 'step_failed' });
  expect(state.steps.map(({ status }) => status)).toEqual(['done', 'failed', 'skipped']);
  expect([state.reason?.split(':')[0], state.refund?.amount]).toEqual(['Looks at filings', '2.00']);
  expect(books).toEqual(BACK);
});

test('when nothing has answered the reasons are told, and the price goes back', async () => {
  const fates = Object.fromEntries(STEPS.map((id) => [id, 'fails' as const]));
  const { state, outcome, books } = await bought({ fates });
  expect(state).toMatchObject({ status: 'failed', outcome: 'no_answer' });
  expect(state.report).toMatchObject({ data: null, completeness: 'none', evidence: null });
  expect(state.report?.faults).toHaveLength(3);
  expect(outcome).toMatchObject({ result: { isError: true } });
  expect(books).toEqual(BACK);
});

test('at the deadline what was found is told, and what was not is missing', async () => {
  const { state, books } = await bought({ fates: { filings: 'hangs', media: 'hangs' } });
  expect(state).toMatchObject({ status: 'published', outcome: 'deadline' });
  expect(state.steps.map(({ status }) => status)).toEqual(['done', 'failed', 'skipped']);
  expect(state.report?.coverage.missing).toEqual(['filings', 'media']);
  expect(books).toEqual(WHOLE);
});

test('a cancelled report tells nothing, gives everything back, and begins no further step', async () => {
  const ran: string[] = [];
  const world = await reportWorld(
    testKind({ fates: { filings: 'hangs' }, onRun: (id) => void ran.push(id) }),
  );
  const life = await world.life();
  const { job_id } = stateOf(await life.buy({ subject: 'Example Ltd', wait_s: 0 }));
  await until(world, () => ran.includes('filings'));
  const told = await life.call('get_result', { job_id, cancel: true });
  expect(stateOf(told)).toMatchObject({ status: 'aborted', outcome: 'cancelled' });
  expect(stateOf(told).report).toBeUndefined();
  await world.clock.advance(120_000);
  expect(ran).toEqual(['identity', 'filings']);
  expect(world.books()).toEqual(BACK);
});

test('progress only grows, and names the step and what it does', async () => {
  const world = await reportWorld();
  const life = await world.life();
  const told: { progress: number; message: string }[] = [];
  const onProgress = (step: { progress: number; message: string }) => void told.push(step);
  await life.buy({ subject: 'Example Ltd' }, { onProgress });
  expect(told.length).toBeGreaterThan(1);
  expect(told.map(({ progress }) => progress)).toEqual(
    told.map(({ progress }) => progress).toSorted((one, other) => one - other),
  );
  const lines = told.map(({ message }) => message).join('\n');
  expect(lines).toMatch(/step [123]\/3: Looks at/);
});

test('turns are refused, and an unknown job is unknown', async () => {
  const { life, state } = await bought({});
  const turns = [{ turn_id: 'a', answer: 'b' }];
  const refused = await life.call('get_result', { job_id: state.job_id, turns });
  expect(textOf(refused)).toContain('AGENT_TURNS_REFUSED');
  expect(textOf(await life.call('get_result', { job_id: 'job_nobody' }))).toContain('JOB_UNKNOWN');
});

async function survived(deaths: readonly Death[]) {
  const runs: string[] = [];
  const world = await reportWorld(testKind({ onRun: (id) => void runs.push(id) }));
  const args = { subject: 'Example Ltd', wait_s: 300 };
  const first = await world.life();
  const asked = await first.call(NAME, args);
  if (asked.kind !== 'payment_required') throw new Error('no challenge');
  const value = await world.sign(asked.required.accepts[0]);
  first.life.die();
  const payments = [{ carrier: 'meta' as const, value }];
  for (const death of deaths) {
    const life = await world.life(death);
    await life.call(NAME, args, { payments }).catch(() => undefined);
    life.life.die();
  }
  const last = await world.life();
  const { job_id } = stateOf(await last.call(NAME, args, { payments }));
  const state = await last.ended(job_id);
  await world.clock.advance(5_000);
  const { rows } = await last.engine.list({ kind: 'report' });
  return { state, runs, steps: last.life.steps, jobs: rows.length, books: world.books() };
}

test('killed before or after any commit, it gives the same answer, charged once', {
  timeout: 60_000,
}, async () => {
  const unhurt = await survived([]);
  expect(unhurt.runs).toEqual([...STEPS]);
  expect(unhurt.steps).toBeGreaterThan(5);
  for (let at = 1; at <= unhurt.steps; at += 1) {
    for (const when of ['before', 'after'] as const) {
      const hint = `${when} commit ${at}`;
      const cut = await survived([{ at, when }]);
      expect(cut.state.report?.data, hint).toEqual(unhurt.state.report?.data);
      expect([cut.jobs, cut.books], hint).toEqual([1, WHOLE]);
      // The step that was cut may begin twice; one whose end is on disk never does.
      expect(cut.runs.length, hint).toBeLessThanOrEqual(STEPS.length + 1);
      expect([...new Set(cut.runs)], hint).toEqual([...STEPS]);
    }
  }
});

async function until(world: ReportWorld, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !holds(); tries += 1) await world.clock.advance(10);
  expect(holds()).toBe(true);
}
