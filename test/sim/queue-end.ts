import type { Chance } from './chance.ts';
import { stopAll, unscheduleAll } from './queue-operations.ts';
import type { World } from './world.ts';

/** Longer than the engine waits before it looks again for room, in milliseconds. */
const SETTLED_MS = 30_000;
/** Rounds in which everybody who waits gets a turn. */
const ROUNDS_MAX = 400;

/** At the end of a run: whoever waits, waits for a reason, and gets a turn once that is gone. */
export async function drainQueues(world: World, chance: Chance): Promise<void> {
  const { clock, oracle, faults } = world;
  const moving = { chance, settle: () => world.settle(chance) };
  const pass = async (): Promise<void> => {
    await clock.leap(clock.now() + SETTLED_MS, moving);
    await world.rest();
  };
  await pass();
  await pass();
  checkDates(world);
  unscheduleAll(world);
  await world.rest();
  const now = clock.now();
  if ((clock.next() ?? Number.POSITIVE_INFINITY) > now) {
    for (const row of oracle.queues.waiting.values()) {
      const isHeld = oracle.queues.isHeld(row, now);
      faults.check(isHeld, 'nobody waits who could run', () => ({ row, now }));
    }
  }
  for (let round = 0; round < ROUNDS_MAX && oracle.queues.waiting.size > 0; round += 1) {
    stopAll(world);
    await world.rest();
    await pass();
    if (faults.first !== undefined) return;
  }
  const left = [...oracle.queues.waiting.values()];
  faults.check(left.length === 0, 'everybody who waits gets a turn', () => ({
    left,
    now: clock.now(),
    stats: world.engine.stats(),
  }));
}

/** No date is left behind, unless its queue is full. */
function checkDates({ clock, oracle, faults }: World): void {
  const now = clock.now();
  if ((clock.next() ?? Number.POSITIVE_INFINITY) <= now) return;
  for (const row of oracle.schedules.rows.values()) {
    const { queue } = row.spec;
    const isDue = row.next !== undefined && row.next <= now;
    const isHeld = queue !== undefined && oracle.queues.isFull(queue);
    faults.check(!isDue || isHeld, 'no date is left behind', () => ({ row, now }));
  }
}
