import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { defineWorkActors } from '../../../src/actors/escrow/definition.ts';
import {
  jobFromVersion1,
  jobFromVersion2,
  jobFromVersion3,
} from '../../../src/actors/escrow/migrate-job.ts';
import { jobMachine } from '../../../src/machines/escrow/job.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { stateName } from '../../../src/runtime/engine/snapshot.ts';
import type { Definition, PersistedActor } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';

type Kept = PersistedActor & { readonly id: string };

const fixture = (version: number): readonly Kept[] =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/machines/job-${version}.json`, import.meta.url), 'utf8'),
  );
/** Jobs as version 1 left them on disk. */
const kept = fixture(1);
/** Jobs as version 2 left them on disk. */
const kept2 = fixture(2);
/** Jobs as version 3 left them on disk; their escrow is of version 1. */
const kept3 = fixture(3);
/** Nothing outside is asked for by the states that are looked at. */
const newest = defineWorkActors({ trust: createMemoryPaymentChain().trust } as never).find(
  ({ kind }) => kind === 'job',
) as Definition;
const DAYS_400 = 34_560_000_000;

const AFTER: Readonly<Record<string, readonly [state: string, effects: number]>> = {
  job_escrowed: ['escrowed.waiting', 0],
  job_fulfilled: ['fulfilled.waiting', 0],
  job_releasing: ['fulfilled.trying', 1],
  job_disputed: ['disputed.waiting', 0],
  job_agreed: ['agreed', 0],
  job_paying: ['fulfilled.waiting', 0],
  job_funded: ['funded.trying', 1],
};

test('there is a job of every kind of state that version 1 could leave behind', () => {
  expect(kept.map(({ id }) => id).sort()).toEqual(Object.keys(AFTER).sort());
});

test.each(kept)('$id of version 1 goes on in version 2 with its timers', (job) => {
  const after = jobFromVersion1.migrate(job);
  // Throws for a state that the machine does not have.
  const last = jobFromVersion3.migrate(jobFromVersion2.migrate(after));
  const { value } = jobMachine.resolveState(last.snapshot as never);
  expect([stateName(value), after.effects.length]).toEqual(AFTER[job.id]);
  expect(after.timers).toEqual(job.timers);
  expect(after.snapshot.context).toMatchObject({
    jobId: job.id,
    calls: [],
    payment: null,
    windowMs: 0,
    priceMicroUsd: '25000000',
  });
  const facts = after.snapshot.context['facts'] as readonly { readonly atS: number }[];
  expect(facts.every(({ atS }) => atS === 0)).toBe(true);
});

test.each(kept2)('$id of version 2 goes on in version 3 with its timers', (job) => {
  const after = jobFromVersion2.migrate(job);
  const { value } = jobMachine.resolveState(after.snapshot as never);
  expect(value).toEqual(job.snapshot.value);
  const added = after.timers.slice(job.timers.length);
  expect(after.timers.slice(0, job.timers.length)).toEqual(job.timers);
  expect(added.map(({ due, event }) => [event.type, due])).toEqual(ADDED[job.id] ?? []);
  expect(Object(after.snapshot.context['deliverable']).bytes).toBe(
    job.snapshot.context['deliverable'] === null ? undefined : 0,
  );
});

test.each(kept3)('$id of version 3 keeps the rule of its escrow', async (job) => {
  const store = memoryStore();
  const clock = new SimulatedClock(1_700_050_000_000);
  const before = await createEngine({ store, clock, definitions: [atRest(job, 3)] });
  await before.create('job', job.id);
  await before.close();
  const after = await createEngine({ store, clock, definitions: [newest] });
  const { context, value } = await after.view(job.id);
  expect(value).toEqual(job.snapshot.value);
  const isDisputed = job.snapshot.context['dispute'] !== null;
  expect(context).toMatchObject({
    isUndecided: false,
    dispute: isDisputed ? { reason: 'bad work', isRefundedByTime: true } : null,
  });
  expect(jobFromVersion3.migrate(job).timers).toEqual(job.timers);
});

const ADDED: Readonly<Record<string, readonly (readonly [type: string, due: number])[]>> = {
  job_expired: [['xstate.after.lateWindow.job.expired_unreleased', 1_700_259_200_000 + DAYS_400]],
  job_closed: [['xstate.after.lateWindow.job.unfunded.closed', 1_700_000_000_000 + DAYS_400]],
};

test.each([
  ['job_expired', 'forgone'],
  ['job_closed', 'lapsed'],
])('%s of version 2 ends as %s when it is read after its time', async (id, end) => {
  const old = kept2.find((job) => job.id === id);
  const store = memoryStore();
  const clock = new SimulatedClock(1_700_259_300_000);
  const before = await createEngine({ store, clock, definitions: [atRest(old)] });
  await before.create('job', id);
  await before.close();
  const after = await createEngine({ store, clock, definitions: [newest] });
  const [timer] = (await after.view(id)).timers;
  expect(timer?.event.type).toBe(ADDED[id]?.[0]?.[0]);
  await clock.advance(DAYS_400 + 1);
  const { value, status } = await after.view(id);
  expect([value, status]).toEqual([end, 'done']);
});

/** A kind that stands where a job of an older version stood. */
function atRest(old: Kept | undefined, version = 2): Definition {
  const { context = {}, value } = old?.snapshot ?? {};
  const [[state, part] = [String(value)]] = Object.entries(Object(value));
  const isFlat = typeof value === 'string';
  const inside = { initial: String(part), states: { [String(part)]: {} } };
  const machine = createMachine({
    id: 'job',
    context,
    initial: isFlat ? value : state,
    states: { [isFlat ? value : state]: isFlat ? {} : inside },
  });
  return define({ kind: 'job', version, machine, effects: {} });
}
