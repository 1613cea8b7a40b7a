import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { EngineStore } from '../../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { counter } from '../../support/actors.ts';
import { tempDir } from '../../support/temp-dir.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 1);
const hourly = { cron: '0 * * * *', kind: 'counter' };
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

const STORES: Readonly<Record<string, () => EngineStore>> = {
  memory: () => memoryStore(),
  lmdb: () => openEngineStore({ path: dir.path }),
};

test.each(Object.keys(STORES))(
  'a schedule that ran while the clock was a year ahead goes on after the next start, in %s',
  async (name) => {
    const store = STORES[name]?.() ?? memoryStore();
    const ahead = await run(store, START + YEAR_MS, async ({ clock, engine }) => {
      await engine.schedule('report', hourly);
      await clock.advance(HOUR_MS);
      return (await engine.schedules())[0]?.next;
    });
    expect(ahead).toBe(START + YEAR_MS + 2 * HOUR_MS);
    await run(store, START, async ({ clock, engine }) => {
      expect(engine.stats().nextDue).toBe(START + HOUR_MS);
      await clock.advance(HOUR_MS);
      expect((await engine.view('report@2026-01-01T01:00:00Z')).status).toBe('active');
      expect(await engine.schedule('report', hourly)).toMatchObject({ next: START + 2 * HOUR_MS });
    });
    await store.close();
  },
);

interface Running {
  readonly clock: SimulatedClock;
  readonly engine: Awaited<ReturnType<typeof createEngine>>;
}

async function run<Result>(
  store: EngineStore,
  at: number,
  use: (running: Running) => Promise<Result>,
): Promise<Result> {
  const clock = new SimulatedClock(at);
  const engine = await createEngine({ store, clock, definitions: [counter] });
  const result = await use({ clock, engine });
  await engine.close();
  return result;
}
