import { afterEach, beforeEach, describe, test } from 'vitest';
import { EngineWorld } from '../support/engine-world.ts';
import type { Shelf } from '../support/shelf.ts';
import { actionClaims } from './conformance/actions.ts';
import { borderClaims } from './conformance/borders.ts';
import { boundClaims } from './conformance/bounds.ts';
import { childClaims } from './conformance/children.ts';
import type { Claims } from './conformance/claims.ts';
import { clockClaims } from './conformance/clock-steps.ts';
import { crashClaims } from './conformance/crashes.ts';
import { diskClaims } from './conformance/disk.ts';
import { effectClaims } from './conformance/effects.ts';
import { eventClaims } from './conformance/events.ts';
import { feedClaims } from './conformance/feeds.ts';
import { lastingClaims } from './conformance/lasting.ts';
import { messageClaims } from './conformance/messages.ts';
import { middlewareClaims } from './conformance/middleware.ts';
import { queueCrashClaims } from './conformance/queue-crashes.ts';
import { queueRateClaims } from './conformance/queue-rates.ts';
import { queueClaims } from './conformance/queues.ts';
import { raceClaims } from './conformance/races.ts';
import { readingClaims } from './conformance/reading.ts';
import { repairClaims } from './conformance/repairs.ts';
import { ruleClaims } from './conformance/rules.ts';
import { scheduleClaims } from './conformance/schedules.ts';
import { searchClaims } from './conformance/searching.ts';
import { systemClaims } from './conformance/systems.ts';
import { timerClaims } from './conformance/timers.ts';
import { tracingClaims } from './conformance/tracing.ts';
import { trimmingClaims } from './conformance/trimming.ts';
import { typedValueClaims } from './conformance/typed-values.ts';
import { versionClaims } from './conformance/versions.ts';

/** What every engine does. */
export const ENGINE_PARTS: Readonly<Record<string, Claims>> = {
  events: eventClaims,
  borders: borderClaims,
  'dates, maps and sets': typedValueClaims,
  timers: timerClaims,
  effects: effectClaims,
  rules: ruleClaims,
  crashes: crashClaims,
  messages: messageClaims,
  actions: actionClaims,
  children: childClaims,
  'system ids': systemClaims,
  'callbacks and observables': lastingClaims,
  bounds: boundClaims,
  reading: readingClaims,
  searching: searchClaims,
  feeds: feedClaims,
  repairs: repairClaims,
  races: raceClaims,
  versions: versionClaims,
  disk: diskClaims,
  trimming: trimmingClaims,
  tracing: tracingClaims,
  middleware: middlewareClaims,
};

/** Queues and schedules of every engine. */
export const QUEUE_PARTS: Readonly<Record<string, Claims>> = {
  queues: queueClaims,
  rates: queueRateClaims,
  'queues under crashes': queueCrashClaims,
  schedules: scheduleClaims,
  'a clock that is set': clockClaims,
};

/** Runs the claims of parts against an engine whose rows are kept on such shelves. */
export function engineConformance(
  name: string,
  shelf: () => Shelf,
  parts: Readonly<Record<string, Claims>>,
): void {
  describe.each(Object.entries(parts))(`${name} engine, %s`, (_part, claims) => {
    let world: EngineWorld;
    beforeEach(() => {
      world = new EngineWorld(shelf());
    });
    afterEach(() => world.end());
    test.each(Object.entries(claims))('%s', (_claim, check) => check(world));
  });
}
