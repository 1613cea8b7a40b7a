import { afterEach, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { sweepForks } from '../../../src/actors/inspect/sweep-forks.ts';
import { ENDED_RETENTION_MS, sweepEnded } from '../../../src/actors/notification/sweep-ended.ts';
import { PAYMENT_KIND } from '../../../src/actors/payment/definition.ts';
import { sweepPayments } from '../../../src/actors/payment/sweep.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { counter } from '../../support/actors.ts';

/** More than any sweep has ever removed at a time. */
const PAYMENTS = 1_500;
const NOTICES = 5_200;

const engines: ActorEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** An actor that ends as soon as it begins, in one of the states in which payments end. */
function ended(kind: string, state: string) {
  const machine = createMachine({
    id: kind,
    initial: state,
    states: { [state]: { type: 'final' } },
  });
  return define({ kind, version: 1, machine, effects: {} });
}

async function begin(...definitions: Parameters<typeof createEngine>[0]['definitions']) {
  const clock = new SimulatedClock(1_000);
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  engines.push(engine);
  return { clock, engine };
}

async function create(engine: ActorEngine, kind: string, count: number) {
  const ids = Array.from({ length: count }, (_, at) => `${kind}-${at}`);
  await Promise.all(ids.map((id) => engine.create(kind, id)));
}

for (const state of ['refused', 'closed']) {
  test(`one sweep removes every payment that is due, when all ended as ${state}`, async () => {
    const { engine, clock } = await begin(ended(PAYMENT_KIND, state));
    await create(engine, PAYMENT_KIND, PAYMENTS);
    await clock.advance(10_000);
    await engine.create(PAYMENT_KIND, 'young');
    const removed = await sweepPayments(engine, { before: 5_000 });
    // A refused payment has left nothing behind: it goes at any age.
    const isYoungGone = state === 'refused';
    expect(removed).toBe(isYoungGone ? PAYMENTS + 1 : PAYMENTS);
    const { rows } = await engine.list({ kind: PAYMENT_KIND });
    expect(rows.map(({ id }) => id)).toEqual(isYoungGone ? [] : ['young']);
  });
}

test('one sweep removes every notice, alert and webhook that is due', async () => {
  const kinds = Object.keys(ENDED_RETENTION_MS);
  const { engine, clock } = await begin(...kinds.map((kind) => ended(kind, 'over')));
  for (const kind of kinds) await create(engine, kind, NOTICES / kinds.length);
  await clock.advance(400 * 86_400_000);
  await engine.create(kinds[0] ?? '', 'young');
  const { signal } = new AbortController();
  const count = Math.floor(NOTICES / kinds.length) * kinds.length;
  expect(await sweepEnded(engine, { now: clock.now(), signal })).toBe(count);
  expect((await engine.list({})).rows.map(({ id }) => id)).toEqual(['young']);
});

test('one sweep removes every copy that has not moved', async () => {
  const { engine, clock } = await begin(counter);
  await engine.create('counter', 'c');
  for (let at = 0; at < 1_050; at += 1) await engine.fork('c', 1, { withoutTimers: true });
  await clock.advance(10_000);
  expect(await sweepForks(engine, { kinds: ['counter'], before: 5_000 })).toBe(1_050);
});

test('a sweep that is ended early leaves the rest', async () => {
  const { engine, clock } = await begin(ended(PAYMENT_KIND, 'closed'));
  await create(engine, PAYMENT_KIND, 100);
  await clock.advance(10_000);
  const signal = AbortSignal.abort();
  expect(await sweepPayments(engine, { before: 5_000, signal })).toBe(0);
  expect(await sweepPayments(engine, { before: 5_000 })).toBe(100);
});
