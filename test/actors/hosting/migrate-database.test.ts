import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { databaseFromVersion1 } from '../../../src/actors/hosting/definitions/database.ts';
import { databaseMachine } from '../../../src/machines/hosting/database.ts';
import type { PersistedActor } from '../../../src/runtime/engine/types.ts';

type Kept = PersistedActor & { readonly id: string };

/** Databases as version 1 left them on disk. */
const kept: readonly Kept[] = JSON.parse(
  readFileSync(new URL('../../fixtures/machines/database-1.json', import.meta.url), 'utf8'),
);

test.each(kept)('$id of version 1 goes on where it stood, with its timers and effects', (one) => {
  const after = databaseFromVersion1.migrate(one);
  // Throws for a state that the machine does not have.
  const { value } = databaseMachine.resolveState(after.snapshot as never);
  const stood = one.snapshot.value === 'available' ? { available: 'settled' } : one.snapshot.value;
  expect(value).toEqual(stood);
  expect(after.snapshot.value).toEqual(stood);
  expect([after.timers, after.effects]).toEqual([one.timers, one.effects]);
});

test('the databases of version 1 stood in every kind of state', () => {
  const states = kept.map(({ snapshot }) => JSON.stringify(snapshot.value)).sort();
  expect(states).toEqual([
    ...['"available"', '"config_restart"', '"creating"', '"recovery_failed"'],
    ...['"recovery_in_progress"', '"unavailable"', '{"suspended":"stopped"}'],
  ]);
});
