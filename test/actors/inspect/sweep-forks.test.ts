import { afterEach, expect, test } from 'vitest';
import { sweepForks } from '../../../src/actors/inspect/sweep-forks.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { counter } from '../../support/actors.ts';

const engines: ActorEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

test('copies that have not moved for long are removed, newer ones and originals stay', async () => {
  const clock = new SimulatedClock(1_000);
  const engine = await createEngine({ store: memoryStore(), clock, definitions: [counter] });
  engines.push(engine);
  await engine.create('counter', 'c');
  const old = await engine.fork('c', 1, { withoutTimers: true });
  await clock.advance(10_000);
  const young = await engine.fork('c', 1, { withoutTimers: true });
  expect(await sweepForks(engine, { kinds: ['counter'], before: 5_000 })).toBe(1);
  await expect(engine.view(old.id)).rejects.toThrow();
  expect((await engine.view(young.id)).status).toBe('active');
  expect((await engine.view('c')).status).toBe('active');
  expect(await sweepForks(engine, { kinds: ['counter'], before: 5_000 })).toBe(0);
});
