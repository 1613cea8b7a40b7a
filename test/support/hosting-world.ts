import type { Workspace } from '../../src/domain/hosting/records.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { systemRandom } from './front-rig.ts';
import { createMemoryHosting, type MemoryHosting } from './hosting-memory/memory-hosting.ts';
import type { MemoryHostingOptions } from './hosting-memory/state.ts';

/** Two workspaces of the tests. */
export const WORKSPACES = [
  { id: 'tea-aaaaaaaaaaaaaaaaaaaa', name: 'Alpha', email: 'a@example.org', type: 'team' },
  { id: 'tea-bbbbbbbbbbbbbbbbbbbb', name: 'Beta', email: '', type: 'user' },
] as const satisfies readonly [Workspace, Workspace];

/** Where the clock of a world begins. */
export const BEGIN_MS = Date.parse('2026-03-01T12:00:00Z');

/** A provider in memory on a clock that a test moves. */
export interface MemoryWorld {
  readonly provider: MemoryHosting;
  readonly clock: SimulatedClock;
  readonly workspaces: typeof WORKSPACES;
}

/** Makes a world; overrides go to the provider. */
export function hostingWorld(overrides: Partial<MemoryHostingOptions> = {}): MemoryWorld {
  const clock = new SimulatedClock(BEGIN_MS);
  const options = { clock, random: systemRandom, workspaces: WORKSPACES, ...overrides };
  return { provider: createMemoryHosting(options), clock, workspaces: WORKSPACES };
}
