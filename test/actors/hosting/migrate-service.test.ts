import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  serviceFromVersion1,
  serviceFromVersion2,
} from '../../../src/actors/hosting/definitions/service.ts';
import { serviceMachine } from '../../../src/machines/hosting/service/service.ts';
import type { PersistedActor } from '../../../src/runtime/engine/types.ts';

type Kept = PersistedActor & { readonly id: string };

/** Services as former versions left them on disk. */
const kept = read(1);
const keptBy2 = read(2);

test.each(kept)('$id of version 1 stands where it stood, and its disk is not high', (one) => {
  const after = serviceFromVersion1.migrate(one);
  const { value, context } = after.snapshot;
  expect(value).toBe(one.snapshot.value);
  expect(context).toEqual({ ...one.snapshot.context, isDiskHigh: false });
  expect([after.timers, after.effects]).toEqual([one.timers, one.effects]);
});

test('the services of version 1 stood in every state that lasts', () => {
  const states = new Set(kept.map(({ snapshot }) => snapshot.value));
  expect(states).toEqual(new Set(['active', 'suspended', 'removed']));
});

test.each(keptBy2)('$id of version 2 stands where it stood, unless crashes suspended it', (one) => {
  const after = serviceFromVersion2.migrate(one);
  // Throws for a state that the machine does not have.
  const { value, context } = serviceMachine.resolveState(after.snapshot as never);
  expect(context).toEqual({ ...one.snapshot.context, currentAsk: null, isYielding: false });
  const isCrashed = context.service.suspenders.includes('stuck_crashlooping');
  expect(value).toBe(isCrashed ? 'active' : one.snapshot.value);
  expect([after.timers, after.effects]).toEqual([one.timers, one.effects]);
});

test('the services of version 2 were suspended by a user, and by crashes', () => {
  const suspended = keptBy2.filter(({ snapshot }) => snapshot.value === 'suspended');
  const by = suspended.map(({ snapshot }) => JSON.stringify(snapshot.context));
  expect(by.filter((text) => text.includes('stuck_crashlooping'))).toHaveLength(1);
  expect(suspended.length).toBeGreaterThan(1);
});

function read(version: number): readonly Kept[] {
  const file = new URL(`../../fixtures/machines/service-${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}
