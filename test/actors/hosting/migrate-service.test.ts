import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serviceFromVersion1 } from '../../../src/actors/hosting/definitions.ts';
import { serviceMachine } from '../../../src/machines/service.ts';
import type { PersistedActor } from '../../../src/runtime/types.ts';

type Kept = PersistedActor & { readonly id: string };

/** Services as version 1 left them on disk. */
const kept: readonly Kept[] = JSON.parse(
  readFileSync(new URL('../../fixtures/machines/service-1.json', import.meta.url), 'utf8'),
);

test.each(kept)('$id of version 1 stands where it stood, and its disk is not high', (one) => {
  const after = serviceFromVersion1.migrate(one);
  // Throws for a state that the machine does not have.
  const { value, context } = serviceMachine.resolveState(after.snapshot as never);
  expect(value).toBe(one.snapshot.value);
  expect(context).toEqual({ ...one.snapshot.context, isDiskHigh: false });
  expect([after.timers, after.effects]).toEqual([one.timers, one.effects]);
});

test('the services of version 1 stood in every state that lasts', () => {
  const states = new Set(kept.map(({ snapshot }) => snapshot.value));
  expect(states).toEqual(new Set(['active', 'suspended', 'removed']));
});
