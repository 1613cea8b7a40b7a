import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StoreStarter, startStarter } from '../../support/store-starter.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ROUNDS = 200;
/** Every such round, the owner is killed instead of closed. */
const KILLED_EVERY = 4;
/** Time until both have read their line, in milliseconds. */
const LEAD_MS = 15;

let dir: ReturnType<typeof tempDir>;
let starters: StoreStarter[] = [];

beforeEach(() => {
  dir = tempDir();
});
afterEach(async () => {
  for (const each of starters) await each.kill();
  dir.remove();
});

test('of two starters at the same time, exactly one gets the store, in 200 rounds', async () => {
  const path = join(dir.path, 'store');
  starters = [await startStarter(path), await startStarter(path)];
  const wins = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = Date.now() + LEAD_MS;
    const said = await Promise.all(starters.map((each) => each.ask(`open ${at}`)));
    const winner = said.indexOf('owner');
    const owner = starters[winner];
    expect(
      said.filter((each) => each === 'owner'),
      `round ${round}: ${said.join()}`,
    ).toHaveLength(1);
    // The owner writes its id a moment after it has the lock.
    expect(said[1 - winner]).toMatch(/^STORE_BUSY /);
    wins[winner] = (wins[winner] ?? 0) + 1;
    if (round % KILLED_EVERY === 0) {
      await owner?.kill();
      starters[winner] = await startStarter(path);
    } else expect(await owner?.ask('close')).toBe('closed');
  }
  // Each wins some: the start was a race.
  expect(Math.min(...wins)).toBeGreaterThan(0);
}, 240_000);
