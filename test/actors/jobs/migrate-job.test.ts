import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jobFromVersion1 } from '../../../src/actors/jobs/migrate-job.ts';
import { jobMachine } from '../../../src/machines/job.ts';
import { stateName } from '../../../src/runtime/snapshot.ts';
import type { PersistedActor } from '../../../src/runtime/types.ts';

type Kept = PersistedActor & { readonly id: string };

/** Jobs as version 1 left them on disk. */
const kept: readonly Kept[] = JSON.parse(
  readFileSync(new URL('../../fixtures/machines/job-1.json', import.meta.url), 'utf8'),
);

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
  const { value } = jobMachine.resolveState(after.snapshot as never);
  expect([stateName(value), after.effects.length]).toEqual(AFTER[job.id]);
  expect(after.timers).toEqual(job.timers);
  expect(after.snapshot.context).toMatchObject({
    ...{ jobId: job.id, calls: [], payment: null, windowMs: 0 },
    priceMicroUsd: '25000000',
  });
  const facts = after.snapshot.context['facts'] as readonly { readonly atS: number }[];
  expect(facts.every(({ atS }) => atS === 0)).toBe(true);
});
